// The project's own rules for the document, each with a document that breaks it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { redocly } from '../scripts/redocly.ts';

// biome-ignore lint/suspicious/noExplicitAny: The tests change documents in ways that the types of a document do not allow.
type Node = any;

const folder = mkdtempSync(join(tmpdir(), 'parley-lint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const code = (name: string): Node => ({ type: 'object', properties: { code: { type: 'string', const: name } } });
const media = (schema: Node, ...examples: string[]): Node => ({
  description: 'What comes back.',
  content: {
    'application/json': { schema, examples: Object.fromEntries(examples.map((name) => [name, { value: {} }])) },
  },
});

/** A new document that breaks no rule. */
function sound(): Node {
  const form = {
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'What they are called.' },
        to: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }], description: 'Where to.' },
        ids: { $ref: '#/components/schemas/Ids' },
        options: { type: 'object', additionalProperties: true, description: 'How.' },
      },
    },
    encoding: { ids: { contentType: 'application/json' }, options: { contentType: 'application/json' } },
  };
  const refused = { oneOf: [{ $ref: '#/components/schemas/BadRequest' }, { $ref: '#/components/schemas/NotThere' }] };
  return {
    openapi: '3.1.0',
    info: { title: 'Seeds', version: '7' },
    'x-budgets': {
      small: { body: 4096, response: 8192 },
      read: { body: 0, response: 8192 },
    },
    paths: {
      '/seeds': {
        post: {
          operationId: 'addSeeds',
          'x-budget': 'small',
          'x-changes': [{ level: 7, kind: 'added', text: 'New.' }],
          requestBody: {
            content: { 'application/json': { schema: form.schema }, 'application/x-www-form-urlencoded': form },
          },
          responses: {
            '200': media({ type: 'object', properties: {} }, 'added'),
            '400': { ...media(refused, 'BAD_REQUEST', 'NOT_THERE'), 'x-reasons': ['cold'] },
          },
        },
      },
    },
    components: {
      schemas: {
        Ids: { type: 'array', items: { type: 'integer' }, description: 'Some ids.' },
        BadRequest: code('BAD_REQUEST'),
        BadRequestReason: { type: 'string', enum: ['cold', 'wet'] },
        NotThere: code('NOT_THERE'),
      },
    },
  };
}

const faults: [rule: string, fault: string, says: string, seed: (document: Node) => void][] = [
  ['json-body-first', 'a form before JSON', 'must be application/json', (doc) => putFormFirst(post(doc).requestBody)],
  [
    'json-body-first',
    'a multipart form without a file',
    'not multipart/form-data',
    (doc) => (post(doc).requestBody.content = { 'multipart/form-data': formOf(doc) }),
  ],
  [
    'json-response-first',
    'a stream before JSON',
    'response 200 of addSeeds must be application/json',
    (doc) => (post(doc).responses['200'].content = { 'text/event-stream': {}, ...post(doc).responses['200'].content }),
  ],
  [
    'text-headers',
    'a number in a header',
    'The header Last-Seed must have the type string.',
    (doc) => (post(doc).parameters = [{ name: 'Last-Seed', in: 'header', schema: { type: 'integer' } }]),
  ],
  ['json-form-fields', 'a list without encoding', '`ids`', (doc) => delete formOf(doc).encoding.ids],
  ['json-form-fields', 'an object without encoding', '`options`', (doc) => delete formOf(doc).encoding.options],
  ['described-form-fields', 'a field that says nothing', '`name`', (doc) => delete fieldsOf(doc).name.description],
  [
    'described-objects',
    'an object without fields',
    'properties',
    (doc) => delete fieldsOf(doc).options.additionalProperties,
  ],
  ['examples-of-every-answer', 'no example of success', 'success', (doc) => delete answer(doc, '200').examples.added],
  [
    'examples-of-every-answer',
    'no example of a code',
    'NOT_THERE',
    (doc) => delete answer(doc, '400').examples.NOT_THERE,
  ],
  [
    'unique-schema-names',
    'a schema that the bundler numbered',
    'Ids-2',
    (doc) => (doc.components.schemas['Ids-2'] = {}),
  ],
  ['unique-schema-names', 'names that differ in case', 'IDS', (doc) => (doc.components.schemas.IDS = {})],
  ['operation-id-verb-noun', 'a verb alone', '`add`', (doc) => (post(doc).operationId = 'add')],
  ['operation-id-verb-noun', 'a noun alone', '`seedsList`', (doc) => (post(doc).operationId = 'seedsList')],
  ['operation-id-verb-noun', 'snake case', '`add_seeds`', (doc) => (post(doc).operationId = 'add_seeds')],
  ['change-notes', 'a level that is yet to come', 'up to 7', (doc) => (post(doc)['x-changes'][0].level = 8)],
  ['change-notes', 'an unknown kind', 'kind', (doc) => (post(doc)['x-changes'][0].kind = 'improved')],
  ['budgets', 'an operation without a budget', 'addSeeds', (doc) => delete post(doc)['x-budget']],
  ['budgets', 'an operation with an unknown budget', 'addSeeds', (doc) => (post(doc)['x-budget'] = 'huge')],
  ['budgets', 'a budget without a limit', 'response', (doc) => delete doc['x-budgets'].small.response],
  ['budgets', 'a body where none is read', 'takes a request body', (doc) => (post(doc)['x-budget'] = 'read')],
  ['budgets', 'pages that are made side by side', 'needs `serial: true`', (doc) => addPages(doc)],
  ['scopes', 'an operation without a scope', 'x-scope must be one of', (doc) => delete secured(doc)['x-scope']],
  ['scopes', 'an unknown scope', 'x-scope must be one of', (doc) => (secured(doc)['x-scope'] = 'all')],
  ['scopes', 'a scope without credentials', 'is for operations with', (doc) => (post(doc)['x-scope'] = 'write')],
  ['scopes', 'tokens where only the key will do', 'takes tokens unless', (doc) => (secured(doc)['x-scope'] = 'key')],
  [
    'scopes',
    'no token in spite of a scope',
    'takes tokens unless',
    (doc) => (secured(doc).security = [{ apiKey: [] }]),
  ],
  ['scopes', 'no response to tokens without the scope', '403', (doc) => delete secured(doc).responses['403']],
  ['scopes', 'a limit where no token will do', 'x-token-limit', (doc) => Object.assign(secured(doc), KEY_ONLY)],
  [
    'roles',
    'a restriction of an unknown kind',
    '"robot"',
    (doc) => setRoles(doc, { who: 'Some', restricts: ['robot'] }),
  ],
  [
    'roles',
    'a restriction of whom the role refuses',
    '"guest"',
    (doc) => setRoles(doc, { note: 'some', refuses: ['guest'], restricts: ['guest'] }),
  ],
  ['roles', 'a restriction without words', 'in words', (doc) => setRoles(doc, { restricts: ['guest'] })],
  ['reasons', 'no reasons of BAD_REQUEST', 'needs x-reasons', (doc) => delete post(doc).responses['400']['x-reasons']],
  ['reasons', 'an unknown reason', '"dry"', (doc) => post(doc).responses['400']['x-reasons'].push('dry')],
  [
    'reasons',
    'reasons of a success',
    'is for BAD_REQUEST',
    (doc) => (post(doc).responses['200']['x-reasons'] = ['wet']),
  ],
  [
    'reasons',
    'an example with another reason',
    'lacks "wet"',
    (doc) => (answer(doc, '400').examples.BAD_REQUEST.value = { reason: 'wet' }),
  ],
  ['change-notes', 'a note without a sentence', 'sentence', (doc) => (post(doc)['x-changes'][0].text = 'new')],
];

function setRoles(doc: Node, roles: object): void {
  post(doc)['x-roles'] = roles;
}

/** A page of the response tells whether there is another one. */
function addPages(doc: Node): void {
  answer(doc, '200').schema.properties.has_more = { type: 'boolean', description: 'Whether there are more.' };
}

/** All other parts of the document stay valid. */
function putFormFirst(body: Node): void {
  const { 'application/json': json, ...forms } = body.content;
  body.content = { ...forms, 'application/json': json };
}

const KEY_ONLY = { 'x-scope': 'key', 'x-token-limit': 'name', security: [{ apiKey: [] }] };

/** The operation, with credentials and valid apart from that. */
function secured(doc: Node): Node {
  doc.security = [{ apiKey: [] }, { token: [] }];
  const operation = post(doc);
  operation['x-scope'] = 'write';
  operation.responses['403'] = media({ type: 'object', properties: {} });
  return operation;
}

const post = (doc: Node): Node => doc.paths['/seeds'].post;
const formOf = (doc: Node): Node => post(doc).requestBody.content['application/x-www-form-urlencoded'];
const fieldsOf = (doc: Node): Node => formOf(doc).schema.properties;
const answer = (doc: Node, status: string): Node => post(doc).responses[status].content['application/json'];

/** One run lints all documents: starting the linter takes longer than linting. */
let found: Map<string, { rule: string; message: string }[]>;
beforeAll(() => {
  const documents = Object.fromEntries(faults.map(([, , , seed], at) => [`fault${at}`, broken(seed)]));
  found = lint({ ...documents, sound: sound() });
});

function broken(seed: (document: Node) => void): Node {
  const document = sound();
  seed(document);
  return document;
}

function lint(documents: Record<string, Node>): typeof found {
  for (const [name, document] of Object.entries(documents))
    writeFileSync(join(folder, `${name}.yaml`), stringify(document));
  const rules = [...new Set(faults.map(([rule]) => rule))].map((rule) => [`parley/${rule}`, 'error']);
  const config = {
    plugins: [fileURLToPath(new URL('parley.mjs', import.meta.url))],
    apis: Object.fromEntries(Object.keys(documents).map((name) => [name, { root: `${name}.yaml` }])),
    rules: {
      ...Object.fromEntries(rules),
      'parley/operation-id-verb-noun': { severity: 'error', verbs: ['add'], verbsAlone: ['subscribe'] },
    },
  };
  writeFileSync(join(folder, 'redocly.yaml'), stringify(config));
  const { stdout, stderr } = redocly('lint', '--config', join(folder, 'redocly.yaml'), '--format', 'json');
  if (!stdout.startsWith('{')) throw new Error(stderr);
  // It prints one object after another, one for each document.
  const problems = stdout.split(/(?<=^\})\s*(?=\{)/m).flatMap((report) => JSON.parse(report).problems as Node[]);
  const of = (name: string) => problems.filter((one) => one.location[0].source.ref.endsWith(`${name}.yaml`));
  const plain = ({ ruleId, message }: Node) => ({ rule: ruleId.replace('parley/', ''), message });
  return new Map(Object.keys(documents).map((name) => [name, of(name).map(plain)]));
}

test('a valid document passes', () => {
  expect(found.get('sound')).toEqual([]);
});

test.each(faults)('%s: %s', (rule, _fault, says, seed) => {
  const at = faults.findIndex((fault) => fault[3] === seed);
  expect(found.get(`fault${at}`)).toEqual([{ rule, message: expect.stringContaining(says) }]);
});
