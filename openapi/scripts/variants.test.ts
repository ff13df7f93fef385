import { expect, test } from 'vitest';
import type { Document, SchemaObject } from '../src/document/index.ts';
import { isAbsent, withVariants } from './variants.ts';

const message = {
  description: 'A message.',
  type: 'object',
  required: ['type'],
  properties: {
    type: { type: 'string', enum: ['stream', 'private'], description: 'Which of the two.' },
    content: { type: 'string' },
    stream_id: { type: 'integer' },
  },
  'x-variants': [
    { title: 'In a stream', required: ['stream_id'], properties: { type: { type: 'string', const: 'stream' } } },
    { title: 'Direct', properties: { type: { type: 'string', const: 'private' }, stream_id: false } },
  ],
};

const expand = (schema: object): SchemaObject =>
  withVariants({ components: { schemas: { Schema: schema } } } as unknown as Document).components.schemas.Schema ?? {};

const variantsOf = (schema: object): SchemaObject[] => expand(schema).oneOf ?? [];

test('a schema with variants is a union, in which each variant has the properties of the schema', () => {
  const [inStream, direct] = variantsOf(message);
  expect(inStream).toMatchObject({ required: ['type', 'stream_id'], properties: { content: { type: 'string' } } });
  expect(direct).toMatchObject({ required: ['type'], properties: { content: { type: 'string' } } });
});

test('a variant replaces a property, and keeps its description', () => {
  const [inStream] = variantsOf(message);
  expect(inStream?.properties?.type).toEqual({ type: 'string', const: 'stream', description: 'Which of the two.' });
});

test('a property that is false in a variant is absent there, and only there', () => {
  const absent = variantsOf(message).map(({ properties }) => isAbsent(properties?.stream_id ?? {}));
  expect(absent).toEqual([false, true]);
});

test('a variant of a list replaces its keywords, wherever the list is', () => {
  const term = { type: 'array', minItems: 2, items: { type: 'string' } };
  const pair = [{ const: 'is' }, { enum: ['unread'] }];
  const narrow = { type: 'array', items: { ...term, 'x-variants': [{ prefixItems: pair }] } };
  expect(expand(narrow).items).toEqual({ oneOf: [{ ...term, prefixItems: pair }] });
});
