import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import type { ResolvedTerm } from './queries/narrow.ts';
import { type IndexUse, listWordQueries } from './queries/search.ts';
import { listNarrowPage } from './queries/search-page.ts';
import { BEYOND_NEWEST, toPageWindow } from './rules/page.ts';

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

async function written(texts: Record<string, [topic: string, content: string]>): Promise<Record<string, number>> {
  [ada, ben] = await chat.users('ada', 'ben');
  const name = `kitchen ${ada.id}`;
  await chat.stream(name, { by: ada, members: [ben] });
  const ids: Record<string, number> = {};
  for (const [key, [topic, content]] of Object.entries(texts))
    ids[key] = await chat.message({ from: ada, to: name, topic, content });
  return ids;
}

async function search(words: string, negated = false) {
  const narrow = [{ operator: 'search', operand: words, negated }] as const;
  const { messages } = await ben.api.getMessages({ anchor: 'newest', num_before: 50, num_after: 0, narrow });
  return messages.filter(({ sender_id }) => sender_id === ada.id);
}
const found = async (...args: Parameters<typeof search>) => (await search(...args)).map(({ id }) => id);
const mark = (text: string) => `<span class="highlight">${text}</span>`;

test('a search finds messages with all its words, in any form, in the content or the topic', async () => {
  const { one, two } = await written({
    one: ['Pea soup', 'We are cooking'],
    two: ['bread', 'Soups are cooked here'],
    three: ['tea', 'nothing'],
  });
  expect(await found('soup cook')).toEqual([one, two]);
  expect(await found('PEA cooking')).toEqual([one]);
  expect(await found('soup tea')).toEqual([]);
});

test('a search finds the same by the index of words, by it only far from the anchor, and by looking at each message', async () => {
  const { one, two, four } = await written({
    one: ['Tin drum', 'A drum and a flute'],
    two: ['drum', 'The flute is loud'],
    three: ['flute', 'The drum is not'],
    four: ['tuba', 'a drum, a flute @**all**'],
    five: ['flutes', 'of tin'],
    six: ['tuba', 'no horn'],
  });
  await ben.api.updateMessageFlags({ messages: [two ?? 0], op: 'add', flag: 'read' });
  await ben.api.updateMessageFlags({ messages: [two ?? 0, four ?? 0], op: 'add', flag: 'starred' });
  const { stream_id } = await ada.api.getStreamId({ stream: `kitchen ${ada.id}` });
  const me = { realm_id: chat.realm.id, id: ben.id, role: 400 } as const;
  const windows = [one ?? 0, two ?? 0, BEYOND_NEWEST, 0].map((anchor) =>
    toPageWindow({ anchor, num_before: 2, num_after: 2, include_anchor: true }),
  );
  const list = async (texts: readonly string[], index: IndexUse, where: readonly ResolvedTerm[]) => {
    const words = texts.map((text) => ({ text, phrase: text.includes(' ') }));
    const queries = [...(await listWordQueries(chat.database.db, words)).values()];
    const terms: ResolvedTerm[] = [...where, { is_a: 'search', negated: false, texts, queries, index }];
    const found: number[][] = [];
    for (const window of windows)
      found.push((await listNarrowPage(chat.database.db, me, terms, window, [1, 2])).map(({ id }) => id));
    return found;
  };
  const places: ResolvedTerm[][] = [
    [],
    [{ is_a: 'stream', negated: false, stream_id }],
    [{ is_a: 'topic', negated: false, topic: 'tuba' }],
    [{ is_a: 'sender', negated: true, user_id: ada.id }],
    [{ is_a: 'is', negated: false, property: 'dm' }],
    [{ is_a: 'is', negated: false, property: 'unread' }],
    [{ is_a: 'is', negated: false, property: 'starred' }],
    [{ is_a: 'is', negated: false, property: 'mentioned' }],
  ];
  for (const place of places)
    for (const texts of [
      ['drum'],
      ['flute'],
      ['drum', 'flute'],
      ['flute', 'tin'],
      ['drum and a flute'],
      ['horn', 'drum'],
      ['tuba', 'flute', 'drum'],
      ['a flute', 'drum', 'tuba'],
      ['tuba', 'flute', 'drum', 'loud', 'horn', 'not'],
      ['drums', 'flutes', 'drum', 'a flute', 'a drum', 'tuba'],
      ['oboe'],
    ])
      for (const index of ['all', 'far'] as const)
        expect(await list(texts, index, place), texts.join()).toEqual(await list(texts, 'none', place));
  expect((await list(['drum', 'flute'], 'far', []))[0]).toHaveLength(4);
});

test('several searches find what one search for the words of all finds, with as many statements', async () => {
  const { one } = await written({
    one: ['brass', 'a trumpet and a cymbal'],
    two: ['cymbal', 'no other'],
    three: ['brass', 'a trumpet'],
  });
  const get = (operands: readonly string[]) => {
    const narrow = operands.map((operand) => ({ operator: 'search', operand }) as const);
    return ben.api.getMessages({ anchor: 'newest', num_before: 50, num_after: 0, narrow });
  };
  let found: number[] = [];
  const statements = await chat.statements(async () => {
    found = (await get(['trumpet', 'cymbal', 'brass'])).messages.map(({ id }) => id);
  });
  expect(found).toEqual([one]);
  expect(await chat.statements(() => get(['trumpet cymbal brass']))).toBe(statements);
});

test('a quoted phrase is found literally', async () => {
  const { one } = await written({ one: ['a', 'hot pea soup'], two: ['b', 'soup of hot pea'] });
  expect(await found('"pea soup"')).toEqual([one]);
});

test('words are found where the topic has some of them and the content the rest, a phrase in one of the two', async () => {
  const { one, two, three, four } = await written({
    one: ['garden party', 'we eat pea soup at noon'],
    two: ['pea soup', 'a garden at noon'],
    three: ['noon', 'pea-soup in the garden'],
    four: ['soup', 'at noon in the garden, hot pea'],
    five: ['garden', 'noon'],
  });
  expect(await found('garden noon pea')).toEqual([one, two, three, four]);
  expect(await found('garden noon "pea soup"')).toEqual([one, two, three]);
  expect(await found('garden noon pea-soup')).toEqual([three]);
  expect(await found('the garden noon hot')).toEqual([four]);
  expect(await found('noon "pea soup" garden', true)).toHaveLength(2);
  expect(await found('garden noon pea soup soups pea-soup')).toEqual([three]);
  expect(await found('garden noon at "pea soup" pea soup noon')).toEqual([one, two, three]);
});

test('words with signs of full text queries are found like others', async () => {
  const signs = "it's C:\\soup | hot & !cold (pea:*) <-> b='c'&d=(e|f)";
  const url = `https://example.com/a?b='c'&d=(e|f)\\g`;
  const { one, two } = await written({ one: ['topic', signs], two: [signs, url], three: ['none', 'soup'] });
  for (const words of [signs, `soup "${signs}"`, "C:\\soup & | ! ( :* <-> '"])
    expect(await found(words), words).toEqual([one, two]);
  expect(await found(`${url} ${signs}`)).toEqual([two]);
});

test('the longest phrase, and the longest word of many parts, are searched for', async () => {
  const longest = Array.from({ length: 1_666 }, (_, n) => `w${1_000 + n}`).join(' ');
  const { one } = await written({ one: ['long', longest], two: ['short', 'w1000 w1001'] });
  expect(await found(`"${longest}"`)).toEqual([one]);
  expect(await found('b-'.repeat(4_999))).toEqual([]);
});

test('a negated search finds the other messages, without marks', async () => {
  const { two } = await written({ one: ['a', 'soup'], two: ['b', 'bread'] });
  const messages = await search('soup', true);
  expect(messages.map(({ id }) => id)).toEqual([two]);
  expect(messages[0]).not.toHaveProperty('match_content');
});

test('stop words of full-text search are found literally when the search has no others', async () => {
  const { one, two } = await written({ one: ['a', 'To be or not'], two: ['b', 'what ?!'] });
  expect(await found('or not')).toEqual([one]);
  expect(await found('?!')).toEqual([two]);
  expect(await found('the')).toEqual([]);
});

test('matches are marked in content and topic, and the HTML stays well-formed', async () => {
  await written({ one: ['Soup & <bread>', '**Soups** & [soup](https://example.com/soup) `<soup>`'] });
  const [message] = await search('soup');
  expect(message?.match_subject).toBe(`${mark('Soup')} &amp; &lt;bread&gt;`);
  expect(message?.match_content).toBe(
    `<p><strong>${mark('Soups')}</strong> &amp; <a href="https://example.com/soup">${mark('soup')}</a> <code>&lt;${mark('soup')}&gt;</code></p>`,
  );
  expect(message?.content).not.toContain('highlight');
});

test('searching for parts of HTML marks no markup', async () => {
  await written({ one: ['amp', 'a & b <p> amp'] });
  const [message] = await search('amp');
  expect(message?.match_content).toBe(`<p>a &amp; b &lt;p&gt; ${mark('amp')}</p>`);
  expect(message?.match_subject).toBe(mark('amp'));
});
