import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import type { CommandContext } from '../types.ts';
import { populateWorks } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

test('makes the requested users, streams, topics and messages, and ends the event queues', async () => {
  const { api } = chat.owner;
  const { queue_id, last_event_id } = await api.registerQueue({});
  const sizes = { users: 4, streams: 2, topics: 3, messages: 20, subscribers: 3, seed: 1 };
  const desk = { app: chat.app } as CommandContext;
  const { json } = await populateWorks.populate(desk, { realm: chat.realm.subdomain, ...sizes });
  expect(json).toMatchObject({ users: 4, messages: 20, streams: [{}, {}] });
  const { messages } = await api.getMessages({ anchor: 'newest', num_before: 100, num_after: 0 });
  expect(messages.filter(({ client }) => client === 'ParleyPopulate')).toHaveLength(20);
  await expectError('BAD_EVENT_QUEUE_ID', api.getEvents({ queue_id, last_event_id }));
});
