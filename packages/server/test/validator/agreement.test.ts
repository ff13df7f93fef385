// The compiled validators are a faster form of express-openapi-validator's middleware: both decide alike for every
// value.
import type { Recipe } from '@parley/openapi/document';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../src/core/contract.ts';
import { listOperationSchemas, type OperationSchemas } from '../../src/http/validator/compile/schemas.ts';
import { requestValidator, responseValidator, type Validator } from '../../src/http/validator/compiled.ts';
import { findProblems } from '../../src/http/validator/problem.ts';
import { type DocumentedOperation, document, eventExamples, operations } from '../examples.ts';
import { type Library, startLibrary, type ValidationVerdict } from './library.ts';
import { someMutations, spread } from './mutations.ts';

const schemas = listOperationSchemas(document);
const paths = groupBy(operations, ({ path }) => path);
const isLong = process.env.PARLEY_TEST_LONG !== undefined;
/** The number of mutations of an example that are tried. */
const MANY = 24;
const MUTATIONS = isLong ? MANY : 6;
/** The number of recorded calls of an operation that are tried: half of all calls send a message. */
const CALLS = isLong ? 12 : 6;

/** The parameters of every recorded call, by operation. */
const recorded = groupBy(
  [...operations.flatMap(({ examples }) => examples), ...eventExamples].flatMap((example): Recipe[] => [
    ...example.recipes,
    { ...('operation' in example && { operation: example.operation }), ...example.request },
  ]),
  ({ operation }) => operation,
);

function paramsOf({ params, files }: Recipe): object {
  return { ...params, ...Object.fromEntries(Object.keys(files ?? {}).map((name) => [name, 'file'])) };
}

/** Recorded response bodies by status. A queue delivers an event of every kind. */
function responsesOf({ id, responses }: DocumentedOperation): [status: number, body: unknown][] {
  const events = id === 'getEvents' ? eventExamples.map(({ value }) => value) : [];
  const delivered = events.map((event): [number, unknown] => [200, { result: 'success', msg: '', events: [event] }]);
  const documented = responses.flatMap(({ status, examples }) =>
    Object.values(examples).map(({ value }): [number, unknown] => [Number(status), value]),
  );
  return [...documented.filter(([status]) => status < 500), ...delivered];
}

const withMutations = (values: readonly unknown[], count = MUTATIONS) =>
  values.flatMap((value) => [value, ...someMutations(value, count)]);

/** The errors of a compiled validator, at the place where the library has the value. */
function verdictOf(validate: Validator, value: unknown, location: string): ValidationVerdict {
  const problems = findProblems(validate, value);
  return { problems: problems.map(({ path, message }) => ({ path: `/${location}${path}`, message })) };
}

describe.each([...paths])('%s', (path, atPath) => {
  let library: Library;
  beforeAll(async () => {
    const byMethod = atPath.map(({ method, id }) => [method, schemas.get(id) as OperationSchemas]);
    library = await startLibrary(path, Object.fromEntries(byMethod));
  });
  afterAll(() => library.close());

  test.each(atPath)('requests of $id are valid and invalid as with the library', async ({ id, method }) => {
    const validate = requestValidator(id as OperationId);
    const calls = distinct((recorded.get(id) ?? []).map(paramsOf));
    const accepted = calls.find((params) => findProblems(validate, structuredClone(params)).length === 0);
    // Recorded calls name ids of earlier responses: where an id is required, only mutations are valid.
    const values = withMutations([{}, accepted, ...spread(calls, CALLS)], accepted ? MUTATIONS : MANY).filter(isObject);
    let valid = 0;
    for (const params of values) {
      const said = await library.validateRequest(method, params);
      const own = structuredClone(params);
      const verdict = verdictOf(validate, own, 'body');
      if (verdict.problems.length === 0) valid += 1;
      expect({ params, problems: verdict.problems }).toEqual({ params, problems: said.problems });
      if (said.problems.length === 0) expect(own).toEqual(said.params);
    }
    expect(valid).toBeGreaterThan(0);
  });

  test.each(atPath)('responses of $id are valid and invalid as with the library', async (operation) => {
    const found = { valid: 0, invalid: 0 };
    for (const [status, recordedBody] of responsesOf(operation)) {
      const validate = responseValidator(operation.id as OperationId, status) as Validator;
      expect(findProblems(validate, recordedBody)).toEqual([]);
      for (const body of withMutations([recordedBody]).filter((one) => one !== null)) {
        const said = await library.validateResponse(operation.method, status, body);
        const { problems } = verdictOf(validate, body, 'response');
        found[problems.length === 0 ? 'valid' : 'invalid'] += 1;
        expect({ body, problems }).toEqual({ body, problems: said.problems });
      }
    }
    expect(found.valid).toBeGreaterThan(0);
    expect(found.invalid).toBeGreaterThan(0);
  });
});

const distinct = (values: readonly object[]): object[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
