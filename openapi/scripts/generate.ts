// Turns the hand-written YAML into what programs read: one bundled document, the types of both sides, and the table of
// operations. Run by `npm run generate`; nothing it writes is committed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { parse, stringify } from 'yaml';
import { clientCalls } from './client-calls.ts';
import { type BundledDocument, methods, type Node, operationsOf, resolve } from './document.ts';
import { hangEventExamples } from './event-examples.ts';
import { operationTable } from './operations.ts';
import { publishedOf } from './published.ts';
import { redocly } from './redocly.ts';

const root = new URL('../', import.meta.url);
const out = new URL('generated/', root);
const code = new URL('src/generated/', root);
const HEADER = '// Generated from openapi.yaml. Do not edit.\n';
const SENT_FILE = 'type SentFile = { readonly bytes: Uint8Array; readonly name: string };\n';

mkdirSync(out, { recursive: true });
mkdirSync(code, { recursive: true });
const document = bundle();
hangExamples(document);
const published = publishedOf(document);
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
write('client.ts', HEADER + (await types(document, 'Blob')));
write('server.ts', HEADER + SENT_FILE + (await types(withDefaultsGiven(document), 'SentFile')));

// The client is published by itself, so it gets its own copy of the types and its table of calls.
const client = new URL('../packages/client/src/generated/', root);
mkdirSync(client, { recursive: true });
writeFileSync(new URL('schema.ts', client), HEADER + (await types(document, 'Blob')));
writeFileSync(new URL('calls.ts', client), HEADER + clientCalls(document));

function bundle(): BundledDocument {
  const target = fileURLToPath(new URL('bundle.json', out));
  const { status, stderr } = redocly('bundle', fileURLToPath(new URL('openapi.yaml', root)), '-o', target);
  if (status !== 0) {
    process.stderr.write(stderr);
    process.exit(1);
  }
  const bundled = JSON.parse(readFileSync(target, 'utf8')) as BundledDocument;
  // Two features with a schema of one name become `Name` and `Name-2`; a reader could not tell them apart.
  const doubled = Object.keys(bundled.components.schemas).filter((name) => /-\d+$/.test(name));
  if (doubled.length > 0) throw new Error(`Schema names must be unique across features: ${doubled.join(', ')}`);
  return bundled;
}

/** What everybody starts with: the document's table of personal settings says it of each. */
function settingDefaults(doc: BundledDocument): Record<string, unknown> {
  const { properties } = doc.components.schemas.UserSettingValues;
  return Object.fromEntries(Object.entries<Node>(properties).map(([name, node]) => [name, node['x-default']]));
}

/** Puts each example beside the answer it belongs to: examples named like an error code go to the answer that has it. */
function hangExamples(doc: BundledDocument): void {
  const shared = examples(new URL('shared/examples.yaml', root));
  for (const answer of Object.values(doc.components.responses)) hang(doc, answer, shared);
  // One operation has a 503 of its own, which has this code beside another.
  const everywhere = { SERVICE_UNAVAILABLE: shared.SERVICE_UNAVAILABLE };
  const byOperation = examplesCalled('examples.yaml');
  const left = new Set(Object.keys(byOperation));
  for (const { operation } of operationsOf(doc)) {
    const own = byOperation[operation.operationId];
    left.delete(operation.operationId);
    const placed = new Set<string>();
    for (const answer of Object.values<Node>(operation.responses)) {
      if (answer.$ref === undefined || own === undefined) hang(doc, answer, { ...everywhere, ...own }, placed);
    }
    successExamples(doc, operation, own ?? {}, placed);
    const lost = Object.keys(own ?? {}).filter((name) => !placed.has(name));
    if (lost.length > 0)
      throw new Error(`${operation.operationId}: no answer documents the examples ${lost.join(', ')}`);
  }
  if (left.size > 0) throw new Error(`Examples of operations that do not exist: ${[...left].join(', ')}`);
}

/** What the files of this name say, of all features. */
function examplesCalled(name: string): Record<string, Node> {
  const features = readdirSync(new URL('features/', root));
  return Object.assign({}, ...features.map((feature) => examples(new URL(`features/${feature}/${name}`, root))));
}

function examples(file: URL): Record<string, Node> {
  return existsSync(file) ? ((parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, Node>) : {};
}

function hang(doc: BundledDocument, answer: Node, from: Node, placed = new Set<string>()): void {
  const content = answer.content?.['application/json'];
  if (!content) return;
  const schema = resolve(doc, content.schema);
  const codes = (schema.oneOf ?? [schema]).map((one: Node) => resolve(doc, one).properties?.code?.const);
  for (const [name, example] of Object.entries(from)) {
    if (!codes.includes(name)) continue;
    content.examples = { ...content.examples, [name]: example };
    placed.add(name);
  }
}

function successExamples(doc: BundledDocument, operation: Node, own: Node, placed: Set<string>): void {
  const names = Object.keys(own).filter((name) => name !== name.toUpperCase());
  if (names.length === 0) return;
  const answer = structuredClone(resolve(doc, operation.responses['200']));
  answer.content['application/json'].examples = Object.fromEntries(names.map((name) => [name, own[name]]));
  operation.responses['200'] = answer;
  for (const name of names) placed.add(name);
}

/** Query parameters of JSON type are lists and objects to a caller, so their types come from the schema inside. */
function plainParameters(doc: BundledDocument): BundledDocument {
  const plain = structuredClone(doc);
  for (const item of Object.values<Node>(plain.paths)) {
    for (const place of [item, ...methods.map((method) => item[method])]) {
      for (const parameter of place?.parameters ?? []) {
        if (!parameter.content) continue;
        parameter.schema = parameter.content['application/json'].schema;
        delete parameter.content;
      }
    }
  }
  return plain;
}

/** What a handler gets: the validator fills in defaults, so a parameter that has one is always there. */
function withDefaultsGiven(doc: BundledDocument): BundledDocument {
  const given = structuredClone(doc);
  for (const { operation } of operationsOf(given)) {
    for (const parameter of operation.parameters ?? []) {
      const at = resolve(given, parameter);
      if (schemaOf(given, at)?.default !== undefined) at.required = true;
    }
    const form = operation.requestBody?.content?.['application/x-www-form-urlencoded'];
    if (!form) continue;
    form.schema = requireDefaults(given, form.schema);
    operation.requestBody.required = true;
  }
  return given;
}

function schemaOf(doc: BundledDocument, parameter: Node): Node {
  return resolve(doc, parameter.schema ?? parameter.content['application/json'].schema);
}

function requireDefaults(doc: BundledDocument, schema: Node): Node {
  const own = structuredClone(resolve(doc, schema));
  own.allOf = own.allOf?.map((part: Node) => requireDefaults(doc, part));
  if (own.allOf === undefined) delete own.allOf;
  const defaulted = Object.entries<Node>(own.properties ?? {}).filter(
    ([, property]) => resolve(doc, property).default !== undefined,
  );
  own.required = [...new Set([...(own.required ?? []), ...defaulted.map(([name]) => name)])];
  if (own.required.length === 0) delete own.required;
  return own;
}

/** The listed strings, which editors suggest, and any other: `'read' | (string & {})`. */
function openUnion(values: readonly string[]): ts.TypeNode {
  const { factory } = ts;
  const any = [factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword), factory.createTypeLiteralNode([])];
  const listed = values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value)));
  return factory.createUnionTypeNode([
    ...listed,
    factory.createParenthesizedType(factory.createIntersectionTypeNode(any)),
  ]);
}

/** `file` is the type that a file has on that side. */
async function types(doc: BundledDocument, file: 'Blob' | 'SentFile'): Promise<string> {
  const transform = (schema: Node) => {
    if (schema.format === 'binary') return ts.factory.createTypeReferenceNode(file);
    return schema['x-open-enum'] ? openUnion(schema.enum) : undefined;
  };
  return astToString(await openapiTS(plainParameters(doc) as unknown as OpenAPI3, { transform }));
}
