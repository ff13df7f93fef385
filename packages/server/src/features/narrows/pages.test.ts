// Pages of narrows whose messages are in several places, or are found in several ways: the pages are those of the whole narrow.
import type { Narrow, Params } from '@parley/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
let ada: TestUser;
/** What Ada received, oldest first, by narrow. */
const expected = new Map<string, number[]>();
const narrows: Record<string, Narrow> = {
  'is:dm': [{ operator: 'is', operand: 'dm' }],
  'is:mentioned': [{ operator: 'is', operand: 'mentioned' }],
  'is:starred': [{ operator: 'is', operand: 'starred' }],
  'is:starred in direct messages': [
    { operator: 'is', operand: 'starred' },
    { operator: 'is', operand: 'dm' },
  ],
  'topic:soup': [{ operator: 'topic', operand: 'soup' }],
};

beforeAll(async () => {
  chat = await startChat();
  ada = await chat.user('ada', { mirrored: false });
  const others: TestUser[] = [];
  for (let n = 0; n < 5; n++) others.push(await chat.user(`cook${n}`, { mirrored: false }));
  for (const name of ['kitchen', 'cellar', 'garden']) await chat.stream(name, { by: ada, members: others });
  const note = (name: string, id: number) => expected.set(name, [...(expected.get(name) ?? []), id]);
  // Each place has messages among those of the others, and one has its messages long before.
  for (const n of [0, 0, 0, 1, 2, 3, 1, 4, 2, 1, 3, 4]) {
    const from = others[n] as TestUser;
    const direct = await chat.message({ from, to: [ada] });
    note('is:dm', direct);
    const content = n === 1 ? '@**all**' : n === 2 ? `@**${ada.full_name}** @**all**` : `@**${ada.full_name}**`;
    const to = ['kitchen', 'cellar', 'garden'][n % 3] ?? '';
    const mention = await chat.message({ from, to, content, topic: n === 4 ? 'bread' : 'soup' });
    note('is:mentioned', mention);
    if (n !== 4) note('topic:soup', mention);
    if (n > 2) continue;
    await ada.api.updateMessageFlags({ messages: [direct, mention], op: 'add', flag: 'starred' });
    note('is:starred', direct);
    note('is:starred', mention);
    note('is:starred in direct messages', direct);
  }
});
afterAll(() => chat.close());

describe.each(Object.keys(narrows))('%s', (name) => {
  const all = () => expected.get(name) ?? [];
  const page = async (params: Pick<Params<'getMessages'>, 'anchor' | 'num_before' | 'num_after'>) =>
    (await ada.api.getMessages({ ...params, narrow: narrows[name] as Narrow })).messages.map(({ id }) => id);

  test('returns each message once', async () => {
    expect(await page({ anchor: 'newest', num_before: 100, num_after: 0 })).toEqual(all());
  });

  test.each([1, 2, 3, 5])('has the newest and the oldest %i at its ends', async (count) => {
    expect(await page({ anchor: 'newest', num_before: count, num_after: 0 })).toEqual(all().slice(-count));
    expect(await page({ anchor: 'oldest', num_before: 0, num_after: count })).toEqual(all().slice(0, count));
  });

  test('has the nearest around each of its messages', async () => {
    for (const [n, anchor] of all().entries())
      expect(await page({ anchor, num_before: 2, num_after: 2 })).toEqual(all().slice(Math.max(n - 2, 0), n + 3));
  });
});
