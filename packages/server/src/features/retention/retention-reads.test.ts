// What PostgreSQL counts as read, in a database that no other test has read from: connections report their reads late.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';
import { deleteExpiredMessages } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

describe('the removal of expired messages', () => {
  test.runIf(onPostgres)('reads only the messages that it removes, of 100,000', async () => {
    const { ada, id, discardEvents } = await createStreamFixture(chat);
    const message_id = await chat.message({ from: ada, to: [ada] });
    const { db } = chat.database;
    await db.execute(sql`
      insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
        is_me_message, has_link, has_image, has_attachment, stream_wildcard)
      select realm_id, ${id}, 1000 + n, (select topic_id from messages where conversation_id = ${id} limit 1), sender_id, content,
        rendered_content, client, sent_at, false, false, false, false, false
      from messages, generate_series(1, 100000) n where messages.id = ${message_id}`);
    await db.execute(sql`update conversations set last_seq = 101000 where id = ${id}`);
    await db.execute(sql`analyze messages`);
    await discardEvents();
    chat.clock.advance({ days: 2, seconds: 1 });
    await db.execute(sql`update streams set message_retention_days = 1 where id = ${id}`);
    const read = async () => {
      await db.execute(sql`select pg_stat_force_next_flush()`);
      const [row] = await rows<{ tuples: number }>(
        db,
        sql`select (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as tuples from pg_stat_user_tables where relname = 'messages'`,
      );
      return row?.tuples ?? Number.NaN;
    };
    const before = await read();
    let batches = 0;
    await deleteExpiredMessages(chat.app, chat.realm, () => void batches++, performance.now() + 1000);
    // Other connections report after a second of doing nothing, at the latest when they end.
    await expect.poll(read, { interval: 500 }).toBeGreaterThanOrEqual(before + batches * 100);
    expect(batches).toBeGreaterThan(0);
    expect((await read()) - before).toBeLessThan(batches * 100 * 8 + 5000);
    await db.execute(sql`delete from messages where conversation_id = ${id}`);
  });
});
