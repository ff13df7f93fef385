import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { createMemoize } from './memoize.ts';
import { NewestEvents } from './newest-events.ts';
import { findLastEventId } from './queries/positions.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const newest = () => new NewestEvents((realm_id) => findLastEventId(chat.database.db, realm_id));

test('a value is computed once until an event happens, and again after it', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const fetchMaxId = async () => (await ben.api.getOwnUser()).max_message_id;
  const first = await chat.message({ from: ada, to: [ben] });
  expect(await fetchMaxId()).toBe(first);
  const quiet = await chat.statements(async () => expect(await fetchMaxId()).toBe(first));
  const second = await chat.message({ from: ada, to: [ben] });
  expect(await chat.statements(async () => expect(await fetchMaxId()).toBe(second))).toBeGreaterThan(quiet);
  expect(await chat.statements(fetchMaxId)).toBe(quiet);
});

test('each user and each organization has values of its own, and the oldest are evicted', async () => {
  const recall = createMemoize(newest());
  let made = 0;
  const getOrCompute = (id: number, name: string, last_event_id = 1) =>
    recall({ realm: { ...chat.realm, id, last_event_id } }, name, async () => ++made);
  expect([
    await getOrCompute(1, 'a'),
    await getOrCompute(2, 'a'),
    await getOrCompute(1, 'b'),
    await getOrCompute(1, 'a'),
  ]).toEqual([1, 2, 3, 1]);
  expect([await getOrCompute(1, 'a', 2), await getOrCompute(1, 'a', 2)]).toEqual([4, 4]);
  for (let n = 0; n < 10_000; n++) await getOrCompute(3, String(n));
  expect(await getOrCompute(2, 'a')).toBe(made);
  expect(await getOrCompute(3, '9999')).toBeLessThan(made);
});

test('an organization that was not read for the request has its newest event read', async () => {
  const events = newest();
  const recall = createMemoize(events);
  const [ada] = await chat.users('ada');
  const ctx = { realm: { ...chat.realm, last_event_id: undefined } };
  let made = 0;
  const remember = () => recall(ctx, 'x', async () => ++made);
  expect([await remember(), await remember()]).toEqual([1, 1]);
  await chat.message({ from: ada, to: [ada] });
  events.expire(chat.realm.id);
  expect(await remember()).toBe(2);
});

test('an error is not cached', async () => {
  const recall = createMemoize(newest());
  const ctx = { realm: chat.realm };
  const fail = recall(ctx, 'x', () => Promise.reject(new Error('no')));
  await expect(fail).rejects.toThrow('no');
  expect(await recall(ctx, 'x', async () => 'yes')).toBe('yes');
});

test.runIf(onPostgres)('a change at another process is seen at once', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const other = await startSecondProcess(chat);
  try {
    const there = other.apiOf(ada);
    for (let n = 0; n < 5; n++) {
      await ben.api.getOwnUser();
      const { id } = await there.sendMessage({ type: 'direct', to: [ben.id], content: `${n}` });
      expect((await ben.api.getOwnUser()).max_message_id).toBe(id);
    }
  } finally {
    await other.close();
  }
});
