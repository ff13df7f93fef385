// The earlier versions of messages cannot make a response larger than its limit, and clients still get all of them.
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bounds } from '../../src/core/limits.ts';
import { type Chat, expectError, startChat } from '../chat.ts';
import { bytesOf, createLargeMessages, ENVELOPE, getPage, RESPONSE_BUDGET } from '../fixtures/large-messages.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

/** Gives a message so many earlier versions. */
async function insertVersions(message_id: number, versions: number, html: string): Promise<void> {
  await chat.database.db.execute(
    sql`insert into message_edits (realm_id, message_id, user_id, edited_at, prev_content, prev_rendered_content)
        select m.realm_id, m.id, m.sender_id, m.sent_at + make_interval(secs => n), 'version ' || n, ${html}
        from messages m, generate_series(1, ${versions}::int) n where m.realm_id = ${chat.realm.id} and m.id = ${message_id} order by n`,
  );
  await chat.database.db.execute(
    sql`update messages set last_edit_at = sent_at + make_interval(secs => ${versions}::int)
        where realm_id = ${chat.realm.id} and id = ${message_id}`,
  );
}

describe('earlier versions of messages', () => {
  test('are in a page within their limit: the newest of each message first, and the page says what is truncated', async () => {
    const { ada, name, ids } = await createLargeMessages(chat, 3, '<p>now</p>');
    const [much = 0, little = 0, none = 0] = ids;
    await insertVersions(much, 185, 'x'.repeat(100_000));
    await insertVersions(little, 1, '<p>before</p>');
    const page = await getPage(ada, name, { anchor: 'newest', num_before: 10 });
    const shown = new Map(page.messages.map((message) => [message.id, message]));
    expect(bytesOf(page)).toBeLessThanOrEqual(bounds.page_versions + 10 * ENVELOPE);
    const contents = shown.get(much)?.edit_history?.map(({ prev_content }) => prev_content);
    expect(contents).toEqual(Array.from({ length: contents?.length ?? 0 }, (_, n) => `version ${185 - n}`));
    expect(contents?.length).toBeGreaterThan(15);
    expect(shown.get(much)).toMatchObject({ edit_history_truncated: true });
    expect(shown.get(little)?.edit_history).toMatchObject([{ prev_content: 'version 1' }]);
    expect(shown.get(little)).not.toHaveProperty('edit_history_truncated');
    expect(shown.get(none)).not.toHaveProperty('edit_history');
  });

  test('are all in the history of the message, in pages that stop at the limit of a response', async () => {
    const { ada, ids } = await createLargeMessages(chat, 1, '<p>now</p>');
    const [message_id = 0] = ids;
    await insertVersions(message_id, 185, 'x'.repeat(100_000));
    const states: string[] = [];
    let pages = 0;
    for (let has_more = true; has_more; pages++) {
      const page = await ada.api.getMessageHistory({ message_id, offset: states.length });
      expect(bytesOf(page)).toBeLessThanOrEqual(RESPONSE_BUDGET + ENVELOPE);
      states.push(...page.message_history.map(({ content }) => content));
      has_more = page.has_more;
    }
    expect(states).toEqual([...Array.from({ length: 185 }, (_, n) => `version ${n + 1}`), 'first']);
    expect(pages).toBeGreaterThan(3);
    const few = await ada.api.getMessageHistory({ message_id, offset: 183, limit: 2 });
    expect(few.message_history).toMatchObject([
      { content: 'version 184', prev_content: 'version 183' },
      { content: 'version 185', prev_content: 'version 184' },
    ]);
    expect(few.has_more).toBe(true);
    expect(await ada.api.getMessageHistory({ message_id, offset: 186 })).toEqual({
      message_history: [],
      has_more: false,
    });
  });

  test('without common parts are compared for a limited time', async () => {
    const { ada, ids } = await createLargeMessages(chat, 1, '<p>now</p>');
    const [message_id = 0] = ids;
    await insertVersions(message_id, 2, '<p>before</p>');
    const words = (letter: string) => Array.from({ length: 2000 }, (_, n) => `${letter}${n}`).join(' ');
    for (const [n, letter] of ['a', 'b'].entries())
      await chat.database.db.execute(
        sql`update message_edits set prev_content = ${words(letter)}
            where realm_id = ${chat.realm.id} and message_id = ${message_id} and id = (
              select id from message_edits where realm_id = ${chat.realm.id} and message_id = ${message_id} order by id offset ${n} limit 1)`,
      );
    const { message_history } = await ada.api.getMessageHistory({ message_id });
    expect(message_history[1]?.content_html_diff).toBe(`<del>${words('a')}</del><ins>${words('b')}</ins>`);
  });

  test('are limited to 500 of one message: its content cannot change once more, its topic can', async () => {
    const { ada, ids } = await createLargeMessages(chat, 1, '<p>now</p>');
    const [message_id = 0] = ids;
    await insertVersions(message_id, bounds.message_versions - 1, '<p>before</p>');
    await ada.api.updateMessage({ message_id, content: 'the 500th time' });
    await expectError(
      'BAD_REQUEST',
      ada.api.updateMessage({ message_id, content: 'once more' }),
      /^content: .* at most 500 times/,
    );
    await ada.api.updateMessage({ message_id, topic: 'elsewhere' });
    expect((await ada.api.getMessage({ message_id })).raw_content).toBe('the 500th time');
  });

  test('do not grow with a topic that is renamed again and again: a page has the newest names', async () => {
    const { ada, name, ids } = await createLargeMessages(chat, 2, '<p>now</p>');
    await chat.database.db.execute(
      sql`insert into topic_moves (realm_id, user_id, moved_at, from_stream_id, to_stream_id, from_topic_id, to_topic_id, from_topic, to_topic, up_to)
          select m.realm_id, m.sender_id, m.sent_at + make_interval(secs => n), m.conversation_id, m.conversation_id, m.topic_id, m.topic_id,
            'name ' || n, 'name ' || n + 1, ${ids[1]}
          from messages m, generate_series(1, 400) n where m.realm_id = ${chat.realm.id} and m.id = ${ids[0]} order by n`,
    );
    const { messages } = await getPage(ada, name, { anchor: 'newest', num_before: 10 });
    for (const { edit_history, edit_history_truncated } of messages) {
      expect(edit_history).toHaveLength(bounds.page_moves);
      expect(edit_history?.[0]).toMatchObject({ prev_topic: 'name 400' });
      expect(edit_history_truncated).toBe(true);
    }
    const { message_history } = await ada.api.getMessageHistory({ message_id: ids[0] ?? 0 });
    expect(message_history).toHaveLength(401);
    expect(message_history[0]).toMatchObject({ topic: 'name 1' });
  });
});
