import { expect, test } from 'vitest';
import type { Document, Example, OperationObject, ParameterObject } from '../src/document/index.ts';
import { addRequestExamples } from './request-examples.ts';

const JSON_TYPE = 'application/json';

function complete(operation: Partial<OperationObject>, examples: Record<string, Example>): OperationObject {
  const post: OperationObject = {
    operationId: 'addSoup',
    responses: { 200: { content: { [JSON_TYPE]: { schema: {}, examples } } } },
    ...operation,
  };
  const doc: Document = {
    info: { version: '7' },
    paths: { '/soups/{soup_id}': { post } },
    components: { schemas: {} },
  };
  addRequestExamples(doc);
  return post;
}

const parameters: ParameterObject[] = [
  { name: 'soup_id', in: 'path', schema: { type: 'integer' } },
  { name: 'order', in: 'query', schema: { type: 'string', contentMediaType: JSON_TYPE } },
  { name: 'Idempotency-Key', in: 'header', example: 'a key' } as ParameterObject,
];
const exampleOf = (operation: OperationObject, name: string) =>
  operation.parameters?.find((parameter) => parameter.name === name)?.example;

test('a request of an example of success is an example of the parameters and of the body', () => {
  const requestBody = {
    content: { [JSON_TYPE]: {}, 'application/x-www-form-urlencoded': {}, 'multipart/form-data': {} },
  };
  const operation = complete(
    { parameters: structuredClone(parameters), requestBody },
    {
      added: {
        summary: 'A soup is added',
        value: {},
        'x-request': { as: 'hamlet', params: { soup_id: 7, order: ['first', 2], name: 'Pea' } },
      },
    },
  );
  expect([exampleOf(operation, 'soup_id'), exampleOf(operation, 'order')]).toEqual([7, '["first",2]']);
  expect(exampleOf(operation, 'Idempotency-Key')).toBe('a key');
  const examples = { added: { summary: 'A soup is added', value: { name: 'Pea' } } };
  expect(operation.requestBody?.content).toEqual({
    [JSON_TYPE]: { examples },
    'application/x-www-form-urlencoded': { examples },
    'multipart/form-data': {},
  });
});

test('values of earlier responses stand in place of their names', () => {
  const operation = complete(
    { parameters: structuredClone(parameters), requestBody: { content: { [JSON_TYPE]: {} } } },
    {
      added: {
        value: {},
        'x-given': [{ as: 'hamlet', operation: 'addSoup', answers: { id: 4 } }],
        'x-request': { params: { soup_id: '$given.0.id', name: 'Soup $given.0.id', parts: ['$given.0.id'] } },
      },
    },
  );
  expect(exampleOf(operation, 'soup_id')).toBe(4);
  expect(operation.requestBody?.content?.[JSON_TYPE]?.examples?.added?.value).toEqual({ name: 'Soup 4', parts: [4] });
});

test('a name that no recorded response has is an error', () => {
  expect(() =>
    complete({}, { added: { value: {}, 'x-given': [{}], 'x-request': { params: { id: '$given.0.id' } } } }),
  ).toThrow('$given.0.id');
});

test('requests with files or a raw body are no examples', () => {
  const raw = { value: {}, 'x-request': { body_text: '{' } };
  const uploaded = { value: {}, 'x-request': { files: { file: 'c291cA==' } } };
  const operation = complete({ requestBody: { content: { [JSON_TYPE]: {} } } }, { raw, uploaded });
  expect(operation.requestBody?.content).toEqual({ [JSON_TYPE]: {} });
});
