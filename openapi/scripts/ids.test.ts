import { expect, test } from 'vitest';
import type { Document, SchemaObject } from '../src/document/index.ts';
import { withIds } from './ids.ts';

const integer = { type: 'integer' };

/** The properties of a schema `Thing` with their ids marked. */
const marked = (properties: Record<string, SchemaObject>, kinds = {}): Record<string, SchemaObject | undefined> =>
  withIds(
    { paths: {}, components: { schemas: { Thing: { type: 'object', properties } } } } as unknown as Document,
    kinds,
  ).components.schemas.Thing?.properties ?? {};

test('an integer with the name of an id is one: alone, in a list, beside null and in a union', () => {
  const { user_id, stream_ids, message_id, to } = marked({
    user_id: integer,
    stream_ids: { type: 'array', items: integer },
    message_id: { type: ['integer', 'null'] },
    to: { anyOf: [integer, { type: 'string' }, { type: 'array', items: integer }] },
  });
  expect(user_id).toEqual({ ...integer, 'x-id': 'UserId' });
  expect(stream_ids?.items).toEqual({ ...integer, 'x-id': 'StreamId' });
  expect(message_id?.['x-id']).toBe('MessageId');
  const [one, text, many] = to?.anyOf ?? [];
  expect([one?.['x-id'], text?.['x-id'], many?.items?.['x-id']]).toEqual(['StreamId', undefined, 'UserId']);
});

test('a schema can set the kind of its id, or that a name is no id there', () => {
  const kinds = { 'Thing.id': 'DraftId', 'Thing.to': null };
  const { id, to } = marked({ id: integer, to: { type: 'array', items: integer } }, kinds);
  expect(id?.['x-id']).toBe('DraftId');
  expect(to?.items).toEqual(integer);
});

test('strings and other integers are no ids', () => {
  expect(marked({ user_id: { type: 'string' }, size: integer })).toEqual({
    user_id: { type: 'string' },
    size: integer,
  });
});

test('parameters, bodies and responses of an operation have ids as well', () => {
  const operation = {
    operationId: 'findThing',
    parameters: [
      { name: 'ids', in: 'query', content: { 'application/json': { schema: { type: 'array', items: integer } } } },
    ],
    requestBody: { content: { form: { schema: { properties: { user_id: integer } } } } },
    responses: { 200: { content: { json: { schema: { properties: { stream_id: integer } } } } } },
  };
  const doc = { paths: { '/things': { get: operation } }, components: { schemas: {} } } as unknown as Document;
  const found = withIds(doc, { 'findThing.ids': 'DraftId' }).paths['/things']?.get;
  expect(found?.parameters?.[0]?.content?.['application/json']?.schema?.items?.['x-id']).toBe('DraftId');
  expect(found?.requestBody?.content?.form?.schema?.properties?.user_id?.['x-id']).toBe('UserId');
  expect(found?.responses[200]?.content?.json?.schema?.properties?.stream_id?.['x-id']).toBe('StreamId');
});

test('the generator fails for an id that the table does not have, and for an entry without an id', () => {
  expect(() => marked({ id: integer })).toThrow('Thing.id: say in scripts/ids.ts what it is an id of.');
  expect(() => marked({ soup_ids: { type: 'array', items: integer } })).toThrow('Thing.soup_ids');
  expect(() => marked({}, { 'Thing.id': 'DraftId' })).toThrow('names what does not exist: Thing.id');
});
