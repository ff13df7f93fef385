// The check between a document and its release: differences that clients can notice are announced, at a higher feature
// level.
import { expect, test } from 'vitest';
import type { Document } from '../src/document/index.ts';
import { unannounced } from './changes.ts';

// biome-ignore lint/suspicious/noExplicitAny: The tests change documents in ways that the types of a document do not allow.
type Node = any;

type Seed = [difference: string, about: RegExp, change: (part: Part) => void];

/** Differences that break clients. */
const breaks: Seed[] = [
  ['an operation that is gone', /removed/, ({ paths, at }) => delete paths[at].get],
  ['a path that is gone', /removed/, ({ paths, at }) => delete paths[at]],
  ['another operationId', /operationId/, ({ operation }) => (operation.operationId = 'other')],
  ['a removed property of a response', /`color`/, ({ schema }) => delete schema.properties.color],
  ['a property of a response that becomes optional', /`name`/, ({ schema }) => (schema.required = [])],
  ['another type', /Type of `name`/, ({ schema }) => (schema.properties.name.type = 'integer')],
  ['another type in a form', /Type of `age`/, ({ form }) => (form.properties.age.type = 'boolean')],
  ['a field of a form that is required now', /required: `size`/, ({ form }) => form.required.push('size')],
  ['a new required parameter', /`depth`/, ({ operation }) => operation.parameters.push(query('depth', true))],
  ['a parameter that is gone', /`limit`/, ({ operation }) => operation.parameters.shift()],
  ['fewer values of a field of a form', /lost values: 'big'/, ({ form }) => form.properties.size.enum.pop()],
  ['an error code that is gone', /`GONE`/, ({ errorResponse, code }) => drop(errorResponse, code('GONE'))],
];

/** Differences that do not break clients. */
const additions: Seed[] = [
  ['a new operation', /post/, ({ paths, at }) => (paths[at].post = { ...paths[at].get, operationId: `${at}Post` })],
  ['a new optional parameter', /parameters/, ({ operation }) => operation.parameters.push(query('depth', false))],
  ['a new field of a form', /soil/, ({ form }) => (form.properties.soil = { type: 'string' })],
  ['a new property of a response', /weight/, ({ schema }) => (schema.properties.weight = { type: 'integer' })],
  ['more values of a field of a form', /enum/, ({ form }) => form.properties.size.enum.push('huge')],
  ['a new error code', /FULL/, ({ errorResponse, code }) => errorResponse.oneOf.unshift(code('FULL'))],
  ['a second error code beside a single one', /FULL/, ({ single, code }) => unite(single, code('FULL'))],
  ['another role that may', /x-roles/, ({ operation }) => (operation['x-roles'] = { requires: 'admin' })],
];

/** Differences that no program can notice. */
const words: Seed[] = [
  ['other words', /./, ({ operation }) => (operation.description = 'Better said.')],
  ['other words of a property', /./, ({ schema }) => (schema.properties.description.description = 'Better said.')],
  ['who may, in words', /./, ({ operation }) => Object.assign(operation['x-roles'], { who: 'Cooks', note: 'or not' })],
  [
    'another order',
    /./,
    ({ form, errorResponse }) => [form.properties.size.enum.reverse(), errorResponse.oneOf.reverse()],
  ],
  ['an example', /./, ({ single }) => (single.examples = { OLD: { value: {} } })],
];

/** A document with the same small feature for each seed, so that one comparison checks all. */
interface Part {
  at: string;
  paths: Node;
  operation: Node;
  form: Node;
  schema: Node;
  errorResponse: Node;
  /** The response that has one code. */
  single: Node;
  code(name: string): Node;
}

const query = (name: string, required: boolean): Node => ({ name, in: 'query', required, schema: { type: 'string' } });

function drop({ oneOf }: Node, { $ref }: Node): void {
  oneOf.splice(
    oneOf.findIndex((one: Node) => one.$ref === $ref),
    1,
  );
}

function unite(media: Node, second: Node): void {
  media.schema = { oneOf: [media.schema, second] };
}

function documentOf(level: number, seeds: readonly Seed[], change?: (seed: Seed, part: Part) => void): Document {
  const doc: Node = {
    openapi: '3.1.0',
    info: { title: 'Seeds', version: String(level) },
    paths: {},
    components: { schemas: {} },
  };
  for (const name of ['OLD', 'GONE', 'FULL']) doc.components.schemas[`Error${name}`] = error(name);
  for (const [number, seed] of seeds.entries()) {
    const part = addPart(doc, number);
    change?.(seed, part);
  }
  return doc;
}

const error = (code: string): Node => ({
  type: 'object',
  required: ['code'],
  properties: { code: { type: 'string', const: code }, msg: { type: 'string' } },
});

function addPart({ paths, components }: Node, number: number): Part {
  const at = `/seed${number}`;
  const code = (name: string) => ({ $ref: `#/components/schemas/Error${name}` });
  const schema = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, color: { type: 'string' }, description: { type: 'string' } },
  };
  components.schemas[`Seed${number}`] = schema;
  const form = {
    type: 'object',
    required: ['age'],
    properties: { age: { type: 'integer' }, size: { type: 'string', enum: ['small', 'big'] } },
  };
  const errorResponse = { oneOf: [code('GONE'), code('OLD')] };
  const single: Node = { schema: code('OLD') };
  const operation = {
    operationId: `seed${number}`,
    description: 'A seed.',
    'x-roles': { refuses: ['guest'] },
    parameters: [query('limit', false)],
    responses: {
      '200': { content: { 'application/json': { schema: { $ref: `#/components/schemas/Seed${number}` } } } },
    },
  };
  const put = {
    operationId: `sow${number}`,
    requestBody: { content: { 'application/x-www-form-urlencoded': { schema: form } } },
    responses: {
      '400': { content: { 'application/json': { schema: errorResponse } } },
      '404': { content: { 'application/json': single } },
    },
  };
  paths[at] = { get: operation, put };
  return { at, paths, operation, form, schema, errorResponse, single, code };
}

/** The problems of each seed, at this level after 7. */
function judge(seeds: Seed[], level: number, announce?: (seed: Seed, part: Part) => void): string[][] {
  const present = documentOf(level, seeds, (seed, part) => {
    seed[2](part);
    announce?.(seed, part);
  });
  const problems = unannounced(documentOf(7, seeds), present);
  return seeds.map((_, number) => problems.filter((problem) => new RegExp(`/seed${number} `).test(problem)));
}

const all = [...breaks, ...additions];
const [atTheSameLevel, unsaid] = [judge(all, 7), judge(all, 8)];

test.each(all.map(([difference, about], number) => [difference, about, number] as const))(
  '%s needs a higher feature level, and a note',
  (_, about, number) => {
    for (const [problems, needs] of [
      [atTheSameLevel[number], 'a feature level above 7'],
      [unsaid[number], 'a note of level 8'],
    ] as const) {
      expect(problems).not.toEqual([]);
      for (const problem of problems ?? []) {
        expect(problem).toMatch(about);
        expect(problem).toContain(needs);
        expect(problem).toMatch(number < breaks.length ? /^Breaks clients: / : /^Changed: /);
      }
    }
  },
);

const note = (text: string, level = 8): Node => [{ level, kind: 'changed', text }];

test('a note at the changed part announces a difference', () => {
  const seeds = additions.slice(1, 5);
  const noteTargets: ((part: Part) => Node)[] = [
    ({ operation }) => operation.parameters.at(-1),
    ({ form }) => form.properties.soil,
    ({ schema }) => schema.properties.weight,
    ({ form }) => form.properties.size,
  ];
  const say = (text: Node) => (seed: Seed, part: Part) => {
    (noteTargets[seeds.indexOf(seed)] as (part: Part) => Node)(part)['x-changes'] = text;
  };
  expect(judge(seeds, 8, say(note('New.'))).flat()).toEqual([]);
  expect(judge(seeds, 8, say(note('Long ago.', 7))).flat()).toHaveLength(seeds.length);
});

test('a removed part is announced by a note of what contained it', () => {
  const seeds = [breaks[3], breaks[9], breaks[11]] as Seed[];
  const say =
    (text: string) =>
    (_: Seed, { paths, at }: Part) => {
      for (const operation of Object.values<Node>(paths[at])) operation['x-changes'] = note(text);
    };
  expect(judge(seeds, 8, say('`color`, `limit` and `GONE` are no more.')).flat()).toEqual([]);
  expect(judge(seeds, 8, say('Something is no more.')).flat()).toHaveLength(seeds.length);
});

test('a removed operation is announced by a note of the whole API', () => {
  const [before, after] = [documentOf(7, [breaks[1] as Seed]), documentOf(8, [])];
  expect(unannounced(before, after)).toHaveLength(2);
  Object.assign(after.info, { 'x-changes': note('`seed0` and `sow0` are no more.') });
  expect(unannounced(before, after)).toEqual([]);
});

test('an extension on many operations is announced by its name in a note of the whole API', () => {
  const seeds = breaks.slice(2, 4);
  const [before, after] = [documentOf(7, seeds), documentOf(8, seeds)];
  const operations = Object.values<Node>(after.paths)
    .flatMap((item) => Object.values<Node>(item))
    .filter(({ operationId }) => operationId);
  for (const operation of operations) operation['x-budget'] = 'small';
  Object.assign(after, { 'x-budgets': { small: { body: 1 } } });
  expect(operations.length).toBeGreaterThan(0);
  expect(unannounced(before, after)).toHaveLength(operations.length + 1);
  Object.assign(after.info, { 'x-changes': note('`x-budget` names a class of `x-budgets`.') });
  expect(unannounced(before, after)).toEqual([]);
});

test('a new path, and one that moved, are announced by their operations', () => {
  const [none, one, moved] = [documentOf(8, []), documentOf(7, breaks.slice(0, 1)), documentOf(8, breaks.slice(0, 1))];
  moved.paths = { '/elsewhere': moved.paths['/seed0'] ?? {} };
  expect(unannounced({ ...none, info: one.info }, moved)).toHaveLength(2);
  expect(unannounced(one, moved)).toHaveLength(4);
});

test('descriptions, examples and orders can change without a note', () => {
  expect(judge(words, 7).flat()).toEqual([]);
});

test('the feature level never decreases', () => {
  expect(unannounced(documentOf(7, []), documentOf(6, []))).toEqual(['The feature level fell from 7 to 6.']);
});
