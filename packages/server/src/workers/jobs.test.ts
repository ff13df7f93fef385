import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../test/chat.ts';
import { jobs } from './jobs.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

test('every job runs where nothing is due, and emits nothing', async () => {
  const { api } = chat.owner;
  const { queue_id, last_event_id } = await api.registerQueue({});
  for (const { run } of jobs) await run(chat.app);
  const { events } = await api.getEvents({ queue_id, last_event_id, dont_block: true });
  expect(events).toEqual([]);
});
