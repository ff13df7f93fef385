// The content of one account cannot make a page of messages larger than its limit, and clients still get all messages, page
// by page.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';
import {
  bytesOf,
  createLargeMessages,
  ENVELOPE,
  getPage,
  type MessageRequest,
  MIB,
  RESPONSE_BUDGET,
} from '../fixtures/large-messages.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

/** The ids that a client gets which continues from each page's end, and the bytes of the largest page. */
async function follow(person: TestUser, name: string, side: 'num_before' | 'num_after') {
  const seen: number[] = [];
  let anchor: MessageRequest['anchor'] = side === 'num_before' ? 'newest' : 'oldest';
  let [largest, pages] = [0, 0];
  for (let done = false; !done; pages++) {
    const page = await getPage(person, name, { anchor, [side]: 5000 });
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
    const { ada, name, ids } = await createLargeMessages(chat, 90, 'x'.repeat(200_000));
    for (const side of ['num_before', 'num_after'] as const) {
      const { seen, largest, pages } = await follow(ada, name, side);
      expect(seen).toEqual(ids);
      expect(largest).toBeLessThanOrEqual(RESPONSE_BUDGET + ENVELOPE);
      expect(largest).toBeGreaterThan(RESPONSE_BUDGET / 2);
      expect(pages).toBe(3);
    }
  });

  test('has the messages nearest to the anchor, and says on which sides some were left out', async () => {
    const { ada, name, ids } = await createLargeMessages(chat, 60, 'x'.repeat(400_000));
    const page = await getPage(ada, name, { anchor: ids[30] ?? 0, num_before: 2, num_after: 50 });
    const got = page.messages.map(({ id }) => ids.indexOf(id));
    expect(got).toEqual(Array.from({ length: got.length }, (_, n) => 28 + n));
    expect(got.length).toBeLessThan(25);
    expect(page).toMatchObject({ found_anchor: true, found_oldest: false, found_newest: false });
    const end = await getPage(ada, name, { anchor: ids[1] ?? 0, num_before: 50, num_after: 50 });
    expect(end).toMatchObject({ found_anchor: true, found_oldest: true, found_newest: false });
  });

  test('has the anchor and a message on each side even if each alone is larger than a response', async () => {
    const { ada, name, ids } = await createLargeMessages(chat, 4, 'x'.repeat(9 * MIB));
    const page = await getPage(ada, name, { anchor: ids[1] ?? 0, num_before: 5, num_after: 5 });
    expect(page.messages.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(page).toMatchObject({ found_anchor: true, found_oldest: true, found_newest: false });
    expect((await follow(ada, name, 'num_after')).seen).toEqual(ids);
  });

  test('is measured as it is sent: a character that JSON escapes counts as its escape', async () => {
    const { ada, name, ids } = await createLargeMessages(chat, 8, '\u0001'.repeat(MIB));
    const { messages } = await getPage(ada, name, { anchor: 'newest', num_before: 10 });
    expect(messages.map(({ id }) => id)).toEqual(ids.slice(-1));
  });

  test('counts the words that a search marks', async () => {
    const { ada, name, ids } = await createLargeMessages(chat, 20, `<p>${'copy '.repeat(20_000)}</p>`);
    const narrow = [
      { operator: 'stream', operand: name },
      { operator: 'search', operand: 'copy' },
    ] as const;
    const page = await getPage(ada, name, { anchor: 'newest', num_before: 50, narrow });
    expect(bytesOf(page)).toBeLessThanOrEqual(RESPONSE_BUDGET + ENVELOPE);
    expect(page.messages.length).toBeLessThan(ids.length - 1);
    expect(page).toMatchObject({ found_oldest: false, found_newest: true });
  });

  test('is written in slices, between which the process does something else', async () => {
    const { ada, name } = await createLargeMessages(chat, 60, 'x'.repeat(200_000));
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
    const writes = vi.spyOn(JSON, 'stringify').mockImplementation((...args: Parameters<typeof stringify>) => {
      const [value] = args as [unknown];
      // A part of a message.
      if (typeof value === 'string' && value.startsWith('xxx')) turns.push(turn);
      return stringify(...args);
    });
    await getPage(ada, name, { anchor: 'newest', num_before: 60 });
    for (const spy of [clock, writes]) spy.mockRestore();
    clearImmediate(timer);
    expect(turns.length).toBeGreaterThan(20);
    expect(new Set(turns).size).toBeGreaterThanOrEqual(4);
  });

  test('takes as many statements for a hundred messages as for one', async () => {
    const { ada, name } = await createLargeMessages(chat, 100, '<p>small</p>');
    const statements = (num_before: number) =>
      chat.statements(() => getPage(ada, name, { anchor: 'newest', num_before }));
    expect(await statements(100)).toBe(await statements(1));
  });

  test('of large messages is read by statements of half a MiB, between which others have their turn', async () => {
    const { ada, name } = await createLargeMessages(chat, 12, 'x'.repeat(200_000));
    const statements = (num_before: number) =>
      chat.statements(() => getPage(ada, name, { anchor: 'newest', num_before }));
    const [of2, of4, of12] = [await statements(2), await statements(4), await statements(12)];
    expect(of4).toBeGreaterThan(of2);
    expect(of12 - of4).toBe(4 * (of4 - of2));
  });

  test('of matches among given messages fails when these exceed the limit', async () => {
    const { ada, name, ids } = await createLargeMessages(chat, 60, 'x'.repeat(200_000));
    const narrow = [{ operator: 'stream', operand: name }] as const;
    const match = (msg_ids: number[]) => ada.api.matchNarrow({ msg_ids, narrow });
    await expectError('BAD_REQUEST', match(ids), /^msg_ids: .* larger than 8388608 bytes/);
    expect(Object.keys((await match(ids.slice(0, 30))).messages)).toHaveLength(30);
  });
});
