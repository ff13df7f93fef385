// Turns the hand-written YAML into what programs read: one bundled document, the types of both sides, and the table of
// operations. Run by `npm run generate`; nothing it writes is committed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { parse, stringify } from 'yaml';
import {
  type Document,
  type Example,
  FORM_TYPE,
  follow,
  getSuccessResponse,
  getValueSchema,
  httpMethods,
  isReference,
  JSON_TYPE,
  listErrorCodes,
  listOperations,
  type OperationObject,
  type ResponseObject,
  resolve,
  type SchemaObject,
} from '../src/document/index.ts';
import { clientCalls } from './client-calls.ts';
import { hangEventExamples } from './event-examples.ts';
import { idTypes, withIds } from './ids.ts';
import { operationTable } from './operations.ts';
import { publishedOf } from './published.ts';
import { declareReasons } from './reasons.ts';
import { redocly } from './redocly.ts';
import { addRequestExamples } from './request-examples.ts';
import { declareScopes } from './scopes.ts';
import { statePartTypes } from './state-parts.ts';
import { isAbsent, withVariants } from './variants.ts';

const root = new URL('../', import.meta.url);
const out = new URL('generated/', root);
const code = new URL('src/generated/', root);
const HEADER = '// Generated from openapi.yaml. Do not edit.\n';
const SENT_FILE = 'type SentFile = { readonly bytes: Uint8Array; readonly name: string };\n';

mkdirSync(out, { recursive: true });
mkdirSync(code, { recursive: true });
const document = bundle();
declareScopes(document);
declareReasons(document);
hangExamples(document);
const published = publishedOf(document);
addRequestExamples(published);
hangEventExamples(published, examplesCalled('event-examples.yaml'));
writeFileSync(new URL('openapi.json', out), `${JSON.stringify(published, null, 1)}\n`);
writeFileSync(new URL('openapi.yaml', out), stringify(published, { aliasDuplicateObjects: false, lineWidth: 120 }));
const write = (name: string, text: string) => writeFileSync(new URL(name, code), text);
write(
  'operations.ts',
  `${HEADER}export const operations = ${JSON.stringify(operationTable(document), null, 1)} as const;\n`,
);
write(
  'defaults.ts',
  `${HEADER}export const userSettingDefaults = ${JSON.stringify(settingDefaults(document), null, 1)} as const;\n`,
);
const typesOfClient = HEADER + (await types(withIds(withVariants(document)), 'Blob'));
write('client.ts', typesOfClient);
write('ids.ts', HEADER + idTypes);
write('server.ts', HEADER + SENT_FILE + (await types(withRequiredDefaults(document), 'SentFile')));

// The client is published by itself, so it gets its own copy of the types and its table of calls.
const client = new URL('../packages/client/src/generated/', root);
mkdirSync(client, { recursive: true });
writeFileSync(new URL('schema.ts', client), typesOfClient);
writeFileSync(new URL('ids.ts', client), HEADER + idTypes);
writeFileSync(new URL('state-parts.ts', client), HEADER + statePartTypes(document));
writeFileSync(new URL('calls.ts', client), HEADER + clientCalls(document));

function bundle(): Document {
  const target = fileURLToPath(new URL('bundle.json', out));
  const { status, stderr } = redocly('bundle', fileURLToPath(new URL('openapi.yaml', root)), '-o', target);
  if (status !== 0) {
    process.stderr.write(stderr);
    process.exit(1);
  }
  const bundled = JSON.parse(readFileSync(target, 'utf8')) as Document;
  // Two features with a schema of one name become `Name` and `Name-2`; a reader could not tell them apart.
  const doubled = Object.keys(bundled.components.schemas).filter((name) => /-\d+$/.test(name));
  if (doubled.length > 0) throw new Error(`Schema names must be unique across features: ${doubled.join(', ')}`);
  return bundled;
}

/** The defaults of personal settings, from the table of the document. */
function settingDefaults(doc: Document): Record<string, unknown> {
  const { properties = {} } = doc.components.schemas.UserSettingValues ?? {};
  return Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, node['x-default']]));
}

/** Adds each example to its response. An example with the name of an error code belongs to the response with that code. */
function hangExamples(doc: Document): void {
  const shared = examples<Example>(new URL('shared/examples.yaml', root));
  for (const response of Object.values(doc.components.responses ?? {})) hang(doc, response, shared);
  // One operation has a 503 of its own, which has this code beside another.
  const everywhere = Object.fromEntries(Object.entries(shared).filter(([name]) => name === 'SERVICE_UNAVAILABLE'));
  const byOperation = examplesCalled<Record<string, Example>>('examples.yaml');
  const left = new Set(Object.keys(byOperation));
  for (const { operation } of listOperations(doc)) {
    const own = byOperation[operation.operationId];
    left.delete(operation.operationId);
    const placed = new Set<string>();
    for (const response of Object.values(operation.responses)) {
      if (!isReference(response) || own === undefined) hang(doc, response, { ...everywhere, ...own }, placed);
    }
    successExamples(doc, operation, own ?? {}, placed);
    const lost = Object.keys(own ?? {}).filter((name) => !placed.has(name));
    if (lost.length > 0)
      throw new Error(`${operation.operationId}: no response documents the examples ${lost.join(', ')}`);
  }
  if (left.size > 0) throw new Error(`Examples of operations that do not exist: ${[...left].join(', ')}`);
}

/** What the files of this name say, of all features. */
function examplesCalled<T>(name: string): Record<string, T> {
  const features = readdirSync(new URL('features/', root));
  return Object.assign({}, ...features.map((feature) => examples<T>(new URL(`features/${feature}/${name}`, root))));
}

function examples<T>(file: URL): Record<string, T> {
  return existsSync(file) ? ((parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, T>) : {};
}

function hang(
  doc: Document,
  response: ResponseObject,
  from: Record<string, Example>,
  placed = new Set<string>(),
): void {
  const content = response.content?.[JSON_TYPE];
  if (!content?.schema) return;
  const codes = listErrorCodes(doc, content.schema);
  for (const [name, example] of Object.entries(from)) {
    if (!codes.includes(name)) continue;
    content.examples = { ...content.examples, [name]: example };
    placed.add(name);
  }
}

function successExamples(
  doc: Document,
  operation: OperationObject,
  own: Record<string, Example>,
  placed: Set<string>,
): void {
  const named = Object.entries(own).filter(([name]) => name !== name.toUpperCase());
  if (named.length === 0) return;
  const response = structuredClone(getSuccessResponse(doc, operation).response);
  const content = response.content?.[JSON_TYPE];
  if (!content) throw new Error(`${operation.operationId} has examples, and no JSON response.`);
  content.examples = Object.fromEntries(named);
  operation.responses['200'] = response;
  for (const [name] of named) placed.add(name);
}

/** Query parameters of JSON type are lists and objects to a caller, so their types come from the schema inside. */
function plainParameters(doc: Document): Document {
  const plain = structuredClone(doc);
  for (const item of Object.values(plain.paths)) {
    for (const holder of [item, ...httpMethods.map((method) => item[method])]) {
      for (const parameter of holder?.parameters ?? []) {
        if (!parameter.content) continue;
        parameter.schema = getValueSchema(parameter);
        delete parameter.content;
      }
    }
  }
  return plain;
}

/** What a handler gets: the validator fills in defaults, so a parameter that has one is always there. */
function withRequiredDefaults(doc: Document): Document {
  const copy = structuredClone(doc);
  for (const { operation } of listOperations(copy)) {
    for (const parameter of operation.parameters ?? []) {
      const declared = follow(copy, parameter);
      if (resolve(copy, getValueSchema(declared)).default !== undefined) declared.required = true;
    }
    const form = operation.requestBody?.content?.[FORM_TYPE];
    if (!operation.requestBody || !form?.schema) continue;
    form.schema = requireDefaults(copy, form.schema);
    operation.requestBody.required = true;
  }
  return copy;
}

function requireDefaults(doc: Document, schema: SchemaObject): SchemaObject {
  const { allOf, required = [], ...own } = structuredClone(resolve(doc, schema));
  const defaulted = Object.entries(own.properties ?? {}).filter(
    ([, property]) => resolve(doc, property).default !== undefined,
  );
  const all = [...new Set([...required, ...defaulted.map(([name]) => name)])];
  return {
    ...own,
    ...(allOf && { allOf: allOf.map((part) => requireDefaults(doc, part)) }),
    ...(all.length > 0 && { required: all }),
  };
}

/** The listed strings, and any other: `'read' | (string & {})`. */
function openUnion(values: readonly string[]): ts.TypeNode {
  const { factory } = ts;
  const any = [factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword), factory.createTypeLiteralNode([])];
  const listed = values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value)));
  return factory.createUnionTypeNode([
    ...listed,
    factory.createParenthesizedType(factory.createIntersectionTypeNode(any)),
  ]);
}

/** The type of an id, and of what else the schema allows: null, or the email of a user. */
function idType(schema: SchemaObject): ts.TypeNode {
  const { factory } = ts;
  // By an import of its own: the linter infers types through names of the same file, and gives up at so many.
  const file = factory.createLiteralTypeNode(factory.createStringLiteral('./ids.ts'));
  const types = {
    integer: () => factory.createImportTypeNode(file, undefined, factory.createIdentifier(schema['x-id'] ?? 'never')),
    string: () => factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    null: () => factory.createLiteralTypeNode(factory.createNull()),
  };
  return factory.createUnionTypeNode([schema.type].flat().map((type) => types[type as keyof typeof types]()));
}

/**
 * `file` is the type that a file has on that side. The client sends the values of an enum that are listed; the server also gets
 * others, where the enum is open.
 */
async function types(doc: Document, file: 'Blob' | 'SentFile'): Promise<string> {
  const transform = (schema: object) => {
    const { format, enum: values = [], 'x-open-enum': isOpen } = schema as SchemaObject;
    if (format === 'binary') return ts.factory.createTypeReferenceNode(file);
    if (isAbsent(schema)) return ts.factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword);
    if ('x-id' in schema) return idType(schema as SchemaObject);
    return isOpen && file === 'SentFile' ? openUnion(values as string[]) : undefined;
  };
  return astToString(await openapiTS(plainParameters(doc) as unknown as OpenAPI3, { transform }));
}
