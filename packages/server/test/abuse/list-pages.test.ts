// Lists of an account's own objects cannot make a response larger than its limit, and clients still get all of them.
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat } from '../chat.ts';
import { bytesOf, createUser, ENVELOPE, MIB, RESPONSE_BUDGET } from '../fixtures/large-messages.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

describe("lists of an account's own objects", () => {
  test('drafts stop at the limit of a response and continue in the next', async () => {
    const ada = await createUser(chat, 'ada');
    const long = '\u0001'.repeat(9000);
    const drafts = Array.from({ length: 200 }, (_, n) => ({
      type: '' as const,
      to: [],
      topic: '',
      content: `${n} ${long}`,
      timestamp: 1000 + n,
    }));
    for (let from = 0; from < drafts.length; from += 50)
      await ada.api.createDrafts({ drafts: drafts.slice(from, from + 50) });
    const first = await ada.api.getDrafts();
    expect(first).toMatchObject({ count: 200, has_more: true });
    expect(bytesOf(first)).toBeLessThanOrEqual(RESPONSE_BUDGET + ENVELOPE);
    const second = await ada.api.getDrafts({ offset: first.drafts.length });
    expect(second.has_more).toBe(false);
    const numbers = [...first.drafts, ...second.drafts].map(({ content }) => Number.parseInt(content, 10));
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  test('scheduled messages stop at the limit of a response and continue in the next', async () => {
    const ada = await createUser(chat, 'ada');
    const at = Math.floor(chat.clock().getTime() / 1000) + 86_400;
    for (let n = 0; n < 3; n++)
      await ada.api.scheduleMessage({
        type: 'direct',
        to: [ada.id],
        content: String(n),
        scheduled_delivery_timestamp: at + n,
      });
    await chat.database.db.execute(
      sql`update scheduled_messages set rendered_content = repeat('x', ${3 * MIB}), bytes = ${3 * MIB} where realm_id = ${chat.realm.id} and user_id = ${ada.id}`,
    );
    const first = await ada.api.getScheduledMessages();
    expect([first.scheduled_messages.map(({ content }) => content), first.has_more]).toEqual([['0', '1'], true]);
    const second = await ada.api.getScheduledMessages({ offset: 2 });
    expect([second.scheduled_messages.map(({ content }) => content), second.has_more]).toEqual([['2'], false]);
  });
});
