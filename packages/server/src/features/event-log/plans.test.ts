import { connectPostgres, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { KnownAccounts, listEvents, loadDeliveryFacts } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

test.runIf(onPostgres)('the statements of a delivery to few users are planned once for each connection', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream = await chat.stream('kitchen', { by: ada, members: [ben] });
  const one = connectPostgres(chat.database.url ?? '', { connections: 1 });
  const accounts = new KnownAccounts();
  const realm_id = chat.realm.id;
  const queues = [{ user_id: ben.id, token: undefined }];
  try {
    for (let n = 0; n < 10; n++) {
      const after = (await listEvents(one.db, { realm_id, after: 0, types: null, room: 1_000_000 })).scanned;
      await chat.message({ from: ada, to: stream, topic: 'soup' });
      const { events } = await listEvents(one.db, { realm_id, after, types: null, room: 1_000_000 });
      const { members } = await loadDeliveryFacts({ db: one.db, accounts }, realm_id, events, queues);
      expect([...members.values()].flatMap((ids) => [...ids])).toContain(ben.id);
    }
    const planned = await rows<{ custom_plans: number }>(
      one.db,
      sql`select custom_plans::int from pg_prepared_statements
          where statement like '%from realm_clock%' or statement like '%from memberships%'`,
    );
    // These two, and the one that asks.
    expect(planned.map(({ custom_plans }) => custom_plans)).toEqual([0, 0, 0]);
  } finally {
    await one.close();
  }
});
