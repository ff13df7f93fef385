import { expect, test } from 'vitest';
import {
  type Document,
  describeParameter,
  findOperation,
  follow,
  getBodySchema,
  getProperties,
  getSuccessResponse,
  isSentAsJson,
  listErrorResponses,
  listOperations,
  listReferencedSchemas,
  listRequestFields,
  listTypes,
  mapSubschemas,
  requiresCredentials,
  resolve,
  type SchemaObject,
} from './index.ts';

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const errorOf = (code: string): SchemaObject => ({ type: 'object', properties: { code: { const: code } } });

const doc: Document = {
  info: { version: '7' },
  security: [{ apiKey: [] }],
  paths: {
    '/soups/{soup_id}': {
      parameters: [{ name: 'soup_id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getSoup',
        security: [],
        parameters: [
          { name: 'spices', in: 'query', content: { 'application/json': { schema: { type: 'array' } } } },
          { name: 'herbs', in: 'query', schema: { type: 'string', contentSchema: { type: 'array' } } },
          { name: 'X-Cook', in: 'header', schema: { type: 'string' } },
        ],
        responses: { '200': { content: { 'application/json': { schema: to('Soup') } } } },
      },
      patch: {
        operationId: 'updateSoup',
        requestBody: { content: { 'multipart/form-data': { schema: to('Changes') } } },
        responses: {
          '200': { content: { 'text/plain': {} } },
          '400': { $ref: '#/components/responses/Failed' },
        },
      },
    },
  },
  components: {
    responses: {
      Failed: {
        content: {
          'application/json': {
            schema: { oneOf: [to('Cold'), { anyOf: [errorOf('SALTY'), to('Cold')] }] },
            examples: { COLD: { value: { code: 'COLD' } } },
          },
        },
      },
    },
    schemas: {
      Soup: {
        type: 'object',
        required: ['name'],
        properties: { name: { ...to('Name'), description: 'Of the soup.' } },
      },
      Name: { type: 'string', maxLength: 60, description: 'A name.' },
      Changes: {
        required: ['note'],
        allOf: [to('Soup')],
        properties: { note: { type: 'string' }, name: { type: 'string' } },
      },
      Cold: errorOf('COLD'),
      'a/b~c': { const: 1 },
    },
  },
};

test('a reference resolves to its target, and keys beside it override those of the target', () => {
  const name = doc.components.schemas.Soup?.properties?.name ?? {};
  expect(resolve(doc, name)).toEqual({ type: 'string', maxLength: 60, description: 'Of the soup.' });
  expect(resolve(doc, to('Name'))).toBe(doc.components.schemas.Name);
  expect(follow(doc, name)).toBe(doc.components.schemas.Name);
});

test('a reference is a JSON pointer, with its escapes', () => {
  expect(resolve(doc, to('a~1b~0c'))).toEqual({ const: 1 });
});

test('a reference without a target is an error that names it', () => {
  expect(() => resolve(doc, to('Stew'))).toThrow('The document has nothing at #/components/schemas/Stew.');
});

test('operations have the parameters of their path, too', () => {
  expect(listOperations(doc).map(({ method, parameters }) => [method, parameters.map(({ name }) => name)])).toEqual([
    ['get', ['soup_id', 'spices', 'herbs', 'X-Cook']],
    ['patch', ['soup_id']],
  ]);
  expect(findOperation(doc, 'updateSoup')?.path).toBe('/soups/{soup_id}');
  expect(findOperation(doc, 'eatSoup')).toBeUndefined();
});

test('an operation needs credentials unless it says that it does not', () => {
  expect(listOperations(doc).map(({ operation }) => requiresCredentials(doc, operation))).toEqual([false, true]);
});

test('parameters are in the path, the query or the body, with their schema before encoding', () => {
  const fields = listOperations(doc).map((entry) => listRequestFields(doc, entry));
  const shown = fields.map((all) => all.map(({ name, in: location, required }) => [name, location, required]));
  expect(shown).toEqual([
    [
      ['soup_id', 'path', true],
      ['spices', 'query', false],
      ['herbs', 'query', false],
    ],
    [
      ['soup_id', 'path', true],
      ['name', 'body', true],
      ['note', 'body', true],
    ],
  ]);
  expect(fields[0]?.slice(1).map(({ schema }) => schema)).toEqual([{ type: 'array' }, { type: 'array' }]);
});

test('an object has the properties of its parts, and its own override them', () => {
  const { properties, required } = getProperties(doc, to('Changes'));
  expect(properties).toEqual({ name: { type: 'string' }, note: { type: 'string' } });
  expect([...required]).toEqual(['name', 'note']);
});

test('a response has the codes of all its branches, each once, and its examples', () => {
  const update = findOperation(doc, 'updateSoup')?.operation ?? doc.paths['/soups/{soup_id}']?.get;
  if (!update) throw new Error('The operation is missing.');
  expect(listErrorResponses(doc, update)).toMatchObject([
    { status: '400', component: 'Failed', codes: ['COLD', 'SALTY'], examples: { COLD: { value: { code: 'COLD' } } } },
  ]);
  expect(getSuccessResponse(doc, update)).toMatchObject({ schema: undefined, codes: [], component: undefined });
  expect(getBodySchema(doc, update)).toEqual(to('Changes'));
});

test.each<[SchemaObject, string[]]>([
  [{ type: ['string', 'null'] }, ['string', 'null']],
  [{ enum: [1, 'a', null, true, 1.5] }, ['integer', 'string', 'null', 'boolean', 'number']],
  [{ anyOf: [{ type: 'integer' }, { oneOf: [{ type: 'array' }, { type: 'integer' }] }] }, ['integer', 'array']],
  [{ allOf: [to('Name')] }, ['string']],
  [{}, []],
])('the types of %j are %j', (schema, types) => {
  expect(listTypes(doc, schema)).toEqual(types);
});

test('arrays and objects are sent as JSON, unless the value can be a string', () => {
  const sent = [{ type: 'array' }, to('Soup'), { type: ['array', 'string'] }, { type: 'integer' }];
  expect(sent.map((schema) => isSentAsJson(doc, schema))).toEqual([true, true, false, false]);
});

test('references are found through other schemas', () => {
  expect([...listReferencedSchemas(doc, doc.paths['/soups/{soup_id}']?.patch?.requestBody)]).toEqual([
    'Changes',
    'Soup',
    'Name',
  ]);
});

test('each direct subschema is changed, and no other value', () => {
  const schema: SchemaObject = {
    ...{ required: ['a'], additionalProperties: false, enum: [{ not: 1 }] },
    ...{ properties: { a: {} }, items: {}, anyOf: [{}] },
  };
  expect(mapSubschemas(schema, (_, keyword) => ({ title: keyword }) as SchemaObject)).toEqual({
    ...{ required: ['a'], additionalProperties: false, enum: [{ not: 1 }] },
    ...{ properties: { a: { title: 'properties' } }, items: { title: 'items' }, anyOf: [{ title: 'anyOf' }] },
  });
});

test.each<[SchemaObject, string]>([
  [
    { type: 'array', maxItems: 5, items: { type: 'integer', minimum: 1 } },
    'a list of at most 5, each an integer of at least 1',
  ],
  [{ type: ['integer', 'null'], minimum: 1, maximum: 9 }, 'an integer from 1 to 9 or null'],
  [{ enum: ['a', 'b'] }, 'one of "a", "b"'],
  [{ type: 'string', enum: ['a'], 'x-open-enum': true }, 'a text'],
  [{ ...to('Name'), 'x-expects': 'the name of a soup' }, 'the name of a soup'],
  [{ allOf: [to('Name')] }, 'a text of at most 60 characters'],
  [to('Soup'), 'an object with "name"'],
])('an error message says of %j that it must be %s', (schema, words) => {
  expect(describeParameter(doc, schema)).toBe(words);
});

test('a parameter without a description is an error of the document', () => {
  expect(() => describeParameter(doc, {})).toThrow('A parameter needs words');
});
