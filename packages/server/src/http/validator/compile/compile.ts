// Compiles schemas to JavaScript, with the Ajv that express-openapi-validator configures for its own middleware.
import { createHash } from 'node:crypto';
import standalone from 'ajv/dist/standalone/index.js';
import { transformSync } from 'esbuild';
import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options.js';
import type { CompiledOperation } from '../compiled.ts';
import { type DocumentOfOperations, type JsonSchema, listOperationSchemas } from './schemas.ts';

type Ajv = ReturnType<typeof createRequestAjv>;

/** The options of express-openapi-validator, as its constructor completes them. */
const OPTIONS = {
  validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false },
  validateResponses: {},
  validateFormats: true,
  ajvFormats: { mode: 'fast' },
  // The library accepts every string of this format by calling a function; Ajv generates no code for `true`.
  formats: { binary: true },
  serDes: [],
} as unknown as ConstructorParameters<typeof AjvOptions>[0];

/** What generated code can load at run time: `ajv` is a dependency of the server, and other packages are not. */
const RUNTIME = /^ajv\/dist\/runtime\//;

export interface Compiled {
  readonly operations: Readonly<Record<string, CompiledOperation>>;
  /** CommonJS modules by name. Each exports a function that validates a value and stores its errors in `errors`. */
  readonly modules: ReadonlyMap<string, string>;
}

/** Compiles a module for each distinct schema of the document; operations with an identical schema share it. */
export function compileDocument(document: DocumentOfOperations): Compiled {
  const { openapi } = document;
  const options = new AjvOptions(OPTIONS);
  // Only the version is read: schemas are compiled without references.
  const bare = { openapi, paths: {}, components: {} } as unknown as Parameters<typeof createRequestAjv>[0];
  const code = { code: { source: true } };
  const request = createRequestAjv(bare, { ...options.request, ...code });
  const response = createResponseAjv(bare, { ...options.response, ...code });
  const modules = new Map<string, string>();
  const add = (ajv: Ajv, kind: string, schema: JsonSchema): string => {
    const name = `${kind}-${createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 16)}`;
    if (!modules.has(name)) modules.set(name, compileSchema(ajv, schema));
    return name;
  };
  const operations = [...listOperationSchemas(document)].map(([id, schemas]): [string, CompiledOperation] => {
    const responses = Object.entries(schemas.responses).map(([status, schema]) => [
      status,
      schema ? add(response, 'response', schema) : null,
    ]);
    const item = schemas.item && { item: add(response, 'response', schemas.item) };
    return [
      id,
      { request: add(request, 'request', schemas.request), responses: Object.fromEntries(responses), ...item },
    ];
  });
  return { operations: Object.fromEntries(operations), modules };
}

function compileSchema(ajv: Ajv, schema: JsonSchema): string {
  const source = standalone.default(ajv, ajv.compile(schema));
  for (const [, name = ''] of source.matchAll(/require\("([^"]+)"\)/g)) {
    if (!RUNTIME.test(name)) throw new Error(`Generated validators need ${name}, which the server does not depend on.`);
  }
  return transformSync(source, { minify: true, treeShaking: true, format: 'cjs', platform: 'node', target: 'node20' })
    .code;
}
