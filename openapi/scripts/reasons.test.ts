import { expect, test } from 'vitest';
import type { Document, OperationObject } from '../src/document/index.ts';
import { declareReasons } from './reasons.ts';

const error = (code: string) => ({ properties: { code: { const: code } } });
const responses = (reasons?: string[]) => ({
  200: {},
  400: {
    content: { 'application/json': { schema: { oneOf: [error('BAD_REQUEST'), error('BAD_NARROW')] } } },
    ...(reasons && { 'x-reasons': reasons }),
  },
});
const operation = (operationId: string, more: Partial<OperationObject> = {}): OperationObject => ({
  operationId,
  responses: responses(),
  ...more,
});

/** The reasons of operations at one address, by method, after the generator completed them. */
function complete(paths: Document['paths'][string]): Record<string, string[] | undefined> {
  const doc: Document = {
    info: { version: '7' },
    security: [{ apiKey: [] }],
    paths: { '/soups': paths },
    components: {
      schemas: { BadRequestReason: { enum: ['invalid', 'not_found', 'forbidden', 'limit_reached', 'conflict'] } },
    },
  };
  declareReasons(doc);
  const methods = Object.entries(paths) as [string, OperationObject][];
  return Object.fromEntries(methods.map(([method, { responses }]) => [method, responses[400]?.['x-reasons']]));
}

test('every operation can return invalid; one with an Idempotency-Key also what concerns the key', () => {
  const found = complete({
    get: operation('getSoups', { responses: responses(['not_found']) }),
    post: operation('addSoup', { responses: responses(['not_found']) }),
    put: operation('setSoup', { 'x-repeatable': true }),
    delete: operation('deleteSoups', { security: [] }),
  });
  expect(found).toEqual({
    get: ['invalid', 'not_found'],
    post: ['invalid', 'not_found', 'limit_reached', 'conflict'],
    put: ['invalid'],
    delete: ['invalid'],
  });
});

test('an operation that some roles or permissions are needed for can return forbidden', () => {
  const found = complete({
    get: operation('getSoups', { 'x-roles': { refuses: ['guest'] } }),
    put: operation('setSoup', { 'x-repeatable': true, 'x-roles': { requires: 'bot' } }),
    patch: operation('updateSoup', { 'x-repeatable': true, 'x-roles': { permission: 'can_cook' } }),
    // Callers who are no administrators get UNAUTHORIZED_PRINCIPAL.
    delete: operation('deleteSoups', { 'x-repeatable': true, 'x-roles': { requires: 'administrator' } }),
  });
  expect(found).toEqual({
    get: ['invalid', 'forbidden'],
    put: ['invalid', 'forbidden'],
    patch: ['invalid', 'forbidden'],
    delete: ['invalid'],
  });
});

test('a response without BAD_REQUEST gets no reasons, and an unknown reason is an error', () => {
  const other = { 400: { content: { 'application/json': { schema: error('BAD_NARROW') } } } };
  expect(complete({ get: operation('getSoups', { responses: other }) })).toEqual({ get: undefined });
  expect(() => complete({ get: operation('getSoups', { responses: responses(['cold']) }) })).toThrow(
    'getSoups: x-reasons has cold.',
  );
});
