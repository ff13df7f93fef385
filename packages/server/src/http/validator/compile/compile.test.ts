import { describe, expect, test } from 'vitest';
import { compileDocument } from './compile.ts';
import { type DocumentOfOperations, listOperationSchemas } from './schemas.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_BODY = 'application/json';

const soup = { type: 'object', required: ['soup'], properties: { soup: { type: 'string', minLength: 1 } } };
const failure = { type: 'object', properties: { msg: { type: 'string' } } };
const responding = (schema: object) => ({ description: 'A response.', content: { [JSON_BODY]: { schema } } });

/** A document of two operations, one of them with a body. */
function documentWith(types: readonly string[], property: object = { type: 'string' }): DocumentOfOperations {
  const content = Object.fromEntries(types.map((type) => [type, { schema: { $ref: '#/components/schemas/Soup' } }]));
  const responses = {
    '200': responding({ allOf: [{ $ref: '#/components/schemas/Soup' }, { properties: { extra: property } }] }),
    '400': responding(failure),
    '503': responding(failure),
  };
  const page = {
    name: 'page',
    in: 'query' as const,
    required: true,
    description: 'The page.',
    schema: { type: 'integer' },
  };
  return {
    openapi: '3.1.0',
    paths: {
      '/soups': {
        parameters: [page],
        get: { operationId: 'listSoups', responses },
        post: {
          operationId: 'createSoup',
          requestBody: { content },
          responses: { ...responses, '200': responding(soup) },
        },
      },
    },
    components: { schemas: { Soup: soup } },
  };
}

describe('the schemas of an operation', () => {
  test('do not depend on the order of the media types of a body', () => {
    const schemas = listOperationSchemas(documentWith([FORM, JSON_BODY]));
    expect(schemas.get('createSoup')?.request).toEqual({
      type: 'object',
      allOf: [{ type: 'object', required: ['page'], properties: { page: { type: 'integer' } } }, soup],
    });
    const others = [[JSON_BODY, FORM], [JSON_BODY, 'multipart/form-data'], ['multipart/form-data'], [JSON_BODY]];
    for (const types of others) expect(listOperationSchemas(documentWith(types))).toEqual(schemas);
  });

  test('forbid other properties in responses below 500, and omit other responses', () => {
    expect(listOperationSchemas(documentWith([FORM])).get('listSoups')?.responses).toEqual({
      '200': {
        allOf: [soup, { properties: { extra: { type: 'string' } } }],
        unevaluatedProperties: false,
      },
      '400': { ...failure, unevaluatedProperties: false },
    });
  });
});

test('an item of a list that is validated item by item has a schema, which is closed as well', () => {
  const item = { type: 'object', properties: { id: { type: 'integer' } } };
  const body = { type: 'object', properties: { messages: { type: 'array', items: item } } };
  const withBody = (schema: object): DocumentOfOperations => ({
    openapi: '3.1.0',
    paths: { '/messages': { get: { operationId: 'getMessages', responses: { '200': responding(schema) } } } },
    components: { schemas: {} },
  });
  const closed = { ...item, unevaluatedProperties: false };
  for (const schema of [body, { allOf: [soup, body] }]) {
    expect(listOperationSchemas(withBody(schema)).get('getMessages')?.item).toEqual(closed);
    const { operations, modules } = compileDocument(withBody(schema));
    expect(modules.has(operations.getMessages?.item ?? '')).toBe(true);
  }
  expect(() => listOperationSchemas(withBody(soup))).toThrow('The response of getMessages has no list messages.');
});

describe('the modules of a document', () => {
  test('are shared by operations with the same schema', () => {
    const { operations, modules } = compileDocument(documentWith([FORM]));
    const { listSoups, createSoup } = operations;
    expect(listSoups?.responses['400']).toBe(createSoup?.responses['400']);
    expect(listSoups?.responses['200']).not.toBe(createSoup?.responses['200']);
    expect(modules.size).toBe(5);
  });

  test('load only modules that the server depends on', () => {
    const code = [...compileDocument(documentWith([FORM])).modules.values()].join('\n');
    expect([...new Set(code.match(/require\("[^"]+"\)/g))]).toEqual(['require("ajv/dist/runtime/ucs2length")']);
    const document = documentWith([FORM], { type: 'string', format: 'date-time' });
    expect(() => compileDocument(document)).toThrow('Generated validators need ajv-formats/dist/formats');
  });
});
