// How many items of each kind one account or one organization can have the server store.
import { expect, test } from 'vitest';
import { type RequestLimitName, requestLimitNames } from '../../src/core/collection-limits.ts';
import { expectError, startChat } from '../chat.ts';
import { type Add, BYTES, type Collection, collections, type Remove } from './collections.ts';

/** Items that fit in each test, whatever the default. */
const ROOM = 3;
const AT_ONCE = 8;
const weights: Partial<Record<RequestLimitName, number>> = {
  upload_bytes: 10,
  bot_storage_bytes: BYTES,
  draft_bytes: BYTES,
  scheduled_message_bytes: BYTES,
};

test.each(requestLimitNames)(
  'the limit "%s" cannot be exceeded, and a request over it changes nothing',
  async (name) => {
    // A collection knows its weight, and needs a server.
    const most = ROOM * (weights[name] ?? 1);
    const chat = await startChat({ collection_limits: { [name]: most } });
    try {
      const ben = await chat.user('ben', { mirrored: false });
      const collection = await collections[name](chat, ben);
      expect(collection.weight ?? 1).toBe(most / ROOM);
      const removes: Remove[] = [];
      for (let n = 0; n < ROOM; n++) removes.push(await (await collection.next())());
      await expectFull(collection, name, most);
      const room = await makeRoom(
        collection,
        () => removes[0]?.(),
        () => chat.clock.advance({ hours: 25 }),
      );
      await expectRoomFor(room, collection, { name, most });
    } finally {
      await chat.close();
    }
  },
);

/** One more item fails with the name of the limit, and the items stay as they are. */
async function expectFull(collection: Collection, name: RequestLimitName, most: number): Promise<void> {
  const before = await collection.list();
  const errorResponse = await expectError('BAD_REQUEST', (await collection.next())());
  expect(errorResponse.reason).toBe('limit_reached');
  expect(errorResponse.msg).toContain(`at most ${most} `);
  expect(errorResponse.msg).toContain(`(limit "${name}")`);
  expect(await collection.list()).toEqual(before);
}

/** Makes room; returns for how many items. */
async function makeRoom({ room }: Collection, remove: Add | (() => unknown), wait: () => void): Promise<number> {
  await remove();
  if (room === 'a day') wait();
  if (room === 'nothing') return 0;
  return room === 'a day' ? ROOM : 1;
}

/** Of many concurrent requests, exactly as many succeed as there is room for. */
async function expectRoomFor(
  room: number,
  collection: Collection,
  { name, most }: { name: RequestLimitName; most: number },
): Promise<void> {
  const before = (await collection.list()).length;
  const adds: Add[] = [];
  for (let n = 0; n < AT_ONCE; n++) adds.push(await collection.next());
  const outcomes = await Promise.allSettled(adds.map((add) => add()));
  const failures = outcomes.filter((one) => one.status === 'rejected');
  expect(failures).toHaveLength(AT_ONCE - room);
  for (const { reason } of failures) {
    await expectError('BAD_REQUEST', Promise.reject(reason), new RegExp(`at most ${most} .*\\(limit "${name}"\\)`));
  }
  expect(await collection.list()).toHaveLength(before + room);
}
