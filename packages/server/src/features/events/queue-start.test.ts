// A queue starts at the state that its registration returns.
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { deleteQueueOf, startQueueAtSnapshot } from './queries.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const inSnapshot = <T>(work: (tx: Db) => Promise<T>): Promise<T> =>
  chat.database.reads.transaction(work, { isolationLevel: 'repeatable read' });

const start = (id: string) => inSnapshot((tx) => startQueueAtSnapshot(tx, chat.realm.id, id));

/** The row of a queue; `version` is another one after each write. */
async function findRow(id: string) {
  const [row] = await rows<{ acknowledged: number; starts_after: number; version: string }>(
    chat.database.db,
    sql`select acknowledged, starts_after, ctid::text as version from event_queues where id = ${id}`,
  );
  return row;
}

async function openQueue() {
  const [ada] = await chat.users('ada');
  const { queue_id: id = '' } = await ada.api.registerQueue({ fetch_event_types: [] });
  return { ada, id, row: await findRow(id) };
}

test('a queue starts after the events since it was added', async () => {
  const { ada, id, row } = await openQueue();
  await chat.message({ from: ada, to: [ada] });
  const started = await start(id);
  expect(started?.me).toMatchObject({ id: ada.id, realm_id: chat.realm.id });
  expect(started?.last_event_id).toBeGreaterThan(row?.acknowledged ?? Number.POSITIVE_INFINITY);
  const { last_event_id } = started ?? {};
  expect(await findRow(id)).toMatchObject({ acknowledged: last_event_id, starts_after: last_event_id });
});

test('a queue is not written again if there was no event since it was added', async () => {
  const { id, row } = await openQueue();
  expect((await start(id))?.last_event_id).toBe(row?.acknowledged);
  expect(await findRow(id)).toEqual(row);
});

test('a queue that is gone does not start', async () => {
  const { ada, id } = await openQueue();
  await deleteQueueOf(chat.database.db, { realm_id: chat.realm.id, user_id: ada.id, token_id: null, id });
  expect(await start(id)).toBeUndefined();
});

test('of the messages that are sent while clients register, each is in the state or in the queue, and not in both', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const sent: number[] = [];
  let isDone = false;
  const sending = (async () => {
    while (!isDone) sent.push(await chat.message({ from: ada, to: [ben] }));
  })();
  const registrations = [];
  for (let n = 0; n < 20; n++) {
    registrations.push(await ben.api.registerQueue({ event_types: ['message'], fetch_event_types: ['message'] }));
  }
  isDone = true;
  await sending;
  for (const { queue_id = '', last_event_id = 0, max_message_id = 0 } of registrations) {
    const { events } = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
    const ids = events.map((event) => (event.type === 'message' ? event.message.id : 0));
    expect(ids).toEqual(sent.filter((id) => id > max_message_id));
  }
});
