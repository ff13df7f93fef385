import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { Event } from './contract.ts';
import { sortEventIds } from './sort-ids.ts';

interface EventSchema {
  readonly properties?: Record<string, { readonly type?: string; readonly items?: { readonly type?: string } }>;
}
const { components } = createRequire(import.meta.url)('../../../../openapi/generated/openapi.json');
const schemas = Object.entries<EventSchema>(components.schemas).filter(([name]) => name.endsWith('Event'));

/** Their order has a meaning, or is the order of the query that lists messages. */
const MESSAGES = ['message_ids', 'messages'];

test('every list of ids in an event of the document is ascending, except lists of messages', () => {
  const lists = schemas.flatMap(([, { properties = {} }]) =>
    Object.entries(properties).flatMap(([key, { type, items }]) =>
      type === 'array' && items?.type === 'integer' ? [key] : [],
    ),
  );
  const others = [...new Set(lists)].filter((key) => !MESSAGES.includes(key));
  expect(others).toContain('user_ids');
  for (const key of others)
    expect(sortEventIds({ type: 'any', [key]: [10, 9, 2] } as unknown as Event)).toMatchObject({ [key]: [2, 9, 10] });
});

test('an event without a list of ids is returned unchanged, and message_ids keep their order', () => {
  const event: Event = { type: 'delete_message', message_type: 'private', message_ids: [3, 1, 2] };
  expect(sortEventIds(event)).toBe(event);
});
