// The content of one account cannot make a response larger than its limit, and clients still get everything, page by
// page.
import { rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bounds } from '../../src/core/limits.ts';
import { getResponseBudget } from '../../src/core/response-size.ts';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const ROOM = getResponseBudget('getMessages');
const MIB = 1024 * 1024;
/** Bytes of a response besides its list. */
const ENVELOPE = 1000;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
type Asked = Parameters<TestUser['api']['getMessages']>[0];

let rooms = 0;
const quiet = (name: string) => chat.user(name, { mirrored: false });

/** Messages of a new stream whose HTML has a given size; inserted by SQL, because sending them would take minutes. */
async function largeMessages(count: number, html: string): Promise<{ ada: TestUser; name: string; ids: number[] }> {
  const ada = await quiet('ada');
  const name = `large ${rooms++}`;
  await chat.stream(name, { by: ada });
  const first = await chat.message({ from: ada, to: name, content: 'first' });
  const copies = await rows<{ id: number }>(
    chat.database.db,
    sql`with place as (
          update conversations c set last_seq = c.last_seq + ${count - 1}::int from messages m
          where m.realm_id = ${chat.realm.id} and m.id = ${first} and c.realm_id = m.realm_id and c.id = m.conversation_id returning c.last_seq
        )
        insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
          is_me_message, has_link, has_image, has_attachment, stream_wildcard)
        select m.realm_id, m.conversation_id, m.seq + n, m.topic_id, m.sender_id, 'copy', '', 'ParleyTest', m.sent_at,
          false, false, false, false, false
        from place, messages m, generate_series(1, ${count - 1}::int) n
        where m.realm_id = ${chat.realm.id} and m.id = ${first} order by n returning id`,
  );
  const ids = [first, ...copies.map(({ id }) => id)];
  await chat.database.db.execute(
    sql`update messages set rendered_content = ${html} where realm_id = ${chat.realm.id} and id = any(${sql.param(ids)}::bigint[])`,
  );
  return { ada, name, ids };
}

const pageOf = (person: TestUser, name: string, asked: Partial<Asked> & Pick<Asked, 'anchor'>) =>
  person.api.getMessages({
    num_before: 0,
    num_after: 0,
    narrow: [
      { operator: 'stream', operand: name },
      { operator: 'topic', operand: 'soup' },
    ],
    ...asked,
  });

/** The ids that a client gets which continues from each page's end, and the bytes of the largest page. */
async function follow(person: TestUser, name: string, side: 'num_before' | 'num_after') {
  const seen: number[] = [];
  let anchor: Asked['anchor'] = side === 'num_before' ? 'newest' : 'oldest';
  let [largest, pages] = [0, 0];
  for (let done = false; !done; pages++) {
    const page = await pageOf(person, name, { anchor, [side]: 5000 });
    const ids = page.messages.map(({ id }) => id);
    seen.push(...ids.filter((id) => !seen.includes(id)));
    largest = Math.max(largest, bytesOf(page));
    done = side === 'num_before' ? page.found_oldest : page.found_newest;
    const next = side === 'num_before' ? ids.at(0) : ids.at(-1);
    if (!done && next === anchor) throw new Error('The client makes no progress.');
    anchor = next ?? anchor;
  }
  return { seen: seen.sort((one, other) => one - other), largest, pages };
}

describe('a page of messages', () => {
  test('stops at the limit of a response, and a client that continues from its end gets every message', async () => {
    const { ada, name, ids } = await largeMessages(90, 'x'.repeat(200_000));
    for (const side of ['num_before', 'num_after'] as const) {
      const { seen, largest, pages } = await follow(ada, name, side);
      expect(seen).toEqual(ids);
      expect(largest).toBeLessThanOrEqual(ROOM + ENVELOPE);
      expect(largest).toBeGreaterThan(ROOM / 2);
      expect(pages).toBe(3);
    }
  });

  test('has the messages nearest to the anchor, and says on which sides some were left out', async () => {
    const { ada, name, ids } = await largeMessages(60, 'x'.repeat(400_000));
    const page = await pageOf(ada, name, { anchor: ids[30] ?? 0, num_before: 2, num_after: 50 });
    const got = page.messages.map(({ id }) => ids.indexOf(id));
    expect(got).toEqual(Array.from({ length: got.length }, (_, n) => 28 + n));
    expect(got.length).toBeLessThan(25);
    expect(page).toMatchObject({ found_anchor: true, found_oldest: false, found_newest: false });
    const end = await pageOf(ada, name, { anchor: ids[1] ?? 0, num_before: 50, num_after: 50 });
    expect(end).toMatchObject({ found_anchor: true, found_oldest: true, found_newest: false });
  });

  test('has the anchor and a message on each side even if each alone is larger than a response', async () => {
    const { ada, name, ids } = await largeMessages(4, 'x'.repeat(9 * MIB));
    const page = await pageOf(ada, name, { anchor: ids[1] ?? 0, num_before: 5, num_after: 5 });
    expect(page.messages.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(page).toMatchObject({ found_anchor: true, found_oldest: true, found_newest: false });
    expect((await follow(ada, name, 'num_after')).seen).toEqual(ids);
  });

  test('is measured as it is sent: a character that JSON escapes counts as its escape', async () => {
    const { ada, name, ids } = await largeMessages(8, '\u0001'.repeat(MIB));
    const { messages } = await pageOf(ada, name, { anchor: 'newest', num_before: 10 });
    expect(messages.map(({ id }) => id)).toEqual(ids.slice(-1));
  });

  test('counts the words that a search marks', async () => {
    const { ada, name, ids } = await largeMessages(20, `<p>${'copy '.repeat(20_000)}</p>`);
    const narrow = [
      { operator: 'stream', operand: name },
      { operator: 'search', operand: 'copy' },
    ] as const;
    const page = await pageOf(ada, name, { anchor: 'newest', num_before: 50, narrow });
    expect(bytesOf(page)).toBeLessThanOrEqual(ROOM + ENVELOPE);
    expect(page.messages.length).toBeLessThan(ids.length - 1);
    expect(page).toMatchObject({ found_oldest: false, found_newest: true });
  });

  test('is written in slices, between which the process does something else', async () => {
    const { ada, name } = await largeMessages(60, 'x'.repeat(200_000));
    // A millisecond passes with each look at the clock, on any machine.
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ++now);
    let turn = 0;
    const count = () => {
      turn++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const { stringify } = JSON;
    const turns: number[] = [];
    const writes = vi.spyOn(JSON, 'stringify').mockImplementation((...given: Parameters<typeof stringify>) => {
      const [value] = given as [{ sender_id?: number } | undefined];
      if (value?.sender_id === ada.id) turns.push(turn);
      return stringify(...given);
    });
    await pageOf(ada, name, { anchor: 'newest', num_before: 60 });
    for (const spy of [clock, writes]) spy.mockRestore();
    clearImmediate(timer);
    expect(turns.length).toBeGreaterThan(20);
    expect(new Set(turns).size).toBeGreaterThanOrEqual(4);
  });

  test('takes as many statements for a hundred messages as for one', async () => {
    const { ada, name } = await largeMessages(100, '<p>small</p>');
    const statements = (num_before: number) =>
      chat.statements(() => pageOf(ada, name, { anchor: 'newest', num_before }));
    expect(await statements(100)).toBe(await statements(1));
  });

  test('of matches among given messages fails when these exceed the limit', async () => {
    const { ada, name, ids } = await largeMessages(60, 'x'.repeat(200_000));
    const narrow = [{ operator: 'stream', operand: name }] as const;
    const ask = (msg_ids: number[]) => ada.api.matchNarrow({ msg_ids, narrow });
    await expectError('BAD_REQUEST', ask(ids), /^msg_ids: .* larger than 8388608 bytes/);
    expect(Object.keys((await ask(ids.slice(0, 30))).messages)).toHaveLength(30);
  });
});

/** Gives a message so many earlier versions. */
async function edited(message_id: number, versions: number, html: string): Promise<void> {
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
    const { ada, name, ids } = await largeMessages(3, '<p>now</p>');
    const [much = 0, little = 0, none = 0] = ids;
    await edited(much, 185, 'x'.repeat(100_000));
    await edited(little, 1, '<p>before</p>');
    const page = await pageOf(ada, name, { anchor: 'newest', num_before: 10 });
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
    const { ada, ids } = await largeMessages(1, '<p>now</p>');
    const [message_id = 0] = ids;
    await edited(message_id, 185, 'x'.repeat(100_000));
    const states: string[] = [];
    let pages = 0;
    for (let has_more = true; has_more; pages++) {
      const page = await ada.api.getMessageHistory({ message_id, offset: states.length });
      expect(bytesOf(page)).toBeLessThanOrEqual(ROOM + ENVELOPE);
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
    const { ada, ids } = await largeMessages(1, '<p>now</p>');
    const [message_id = 0] = ids;
    await edited(message_id, 2, '<p>before</p>');
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
    const { ada, ids } = await largeMessages(1, '<p>now</p>');
    const [message_id = 0] = ids;
    await edited(message_id, bounds.message_versions - 1, '<p>before</p>');
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
    const { ada, name, ids } = await largeMessages(2, '<p>now</p>');
    await chat.database.db.execute(
      sql`insert into topic_moves (realm_id, user_id, moved_at, from_stream_id, to_stream_id, from_topic_id, to_topic_id, from_topic, to_topic, up_to)
          select m.realm_id, m.sender_id, m.sent_at + make_interval(secs => n), m.conversation_id, m.conversation_id, m.topic_id, m.topic_id,
            'name ' || n, 'name ' || n + 1, ${ids[1]}
          from messages m, generate_series(1, 400) n where m.realm_id = ${chat.realm.id} and m.id = ${ids[0]} order by n`,
    );
    const { messages } = await pageOf(ada, name, { anchor: 'newest', num_before: 10 });
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

describe("lists of an account's own objects", () => {
  test('drafts stop at the limit of a response and continue in the next', async () => {
    const ada = await quiet('ada');
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
    expect(bytesOf(first)).toBeLessThanOrEqual(ROOM + ENVELOPE);
    const second = await ada.api.getDrafts({ offset: first.drafts.length });
    expect(second.has_more).toBe(false);
    const numbers = [...first.drafts, ...second.drafts].map(({ content }) => Number.parseInt(content, 10));
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  test('scheduled messages stop at the limit of a response and continue in the next', async () => {
    const ada = await quiet('ada');
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
