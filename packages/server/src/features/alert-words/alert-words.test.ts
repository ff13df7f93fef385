import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const wordsOf = async ({ api }: TestUser) => (await api.getAlertWords()).alert_words;
const add = ({ api }: TestUser, ...alert_words: string[]) => api.addAlertWords({ alert_words });
const remove = ({ api }: TestUser, ...alert_words: string[]) => api.removeAlertWords({ alert_words });

test('words are trimmed, keep their order and case, and are stored once whatever their case', async () => {
  const [ada] = await chat.users('ada');
  expect(await wordsOf(ada)).toEqual([]);
  expect(await add(ada, ' Soup ', 'arrow & sling', 'SOUP')).toEqual({ alert_words: ['Soup', 'arrow & sling'] });
  expect(await add(ada, 'soup', 'c++')).toEqual({ alert_words: ['Soup', 'arrow & sling', 'c++'] });
  expect(await remove(ada, ' sOUP', 'never added')).toEqual({ alert_words: ['arrow & sling', 'c++'] });
  expect(await wordsOf(ada)).toEqual(['arrow & sling', 'c++']);
  expect(await add(ada)).toEqual({ alert_words: ['arrow & sling', 'c++'] });
  expect(await remove(ada)).toEqual({ alert_words: ['arrow & sling', 'c++'] });
});

test('a change emits an event with all words to the user alone; a request that changes nothing emits none', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  for (const person of [ada, ben]) await person.takeEvents();
  await add(ada, 'soup', 'bread');
  await add(ada, 'Soup');
  await add(ada);
  await remove(ada, 'wine');
  await remove(ada, 'SOUP');
  expect((await ada.takeEvents()).map(({ id: _, ...event }) => event)).toEqual([
    { type: 'alert_words', alert_words: ['soup', 'bread'] },
    { type: 'alert_words', alert_words: ['bread'] },
  ]);
  expect(await ben.takeEvents()).toEqual([]);
  expect(await wordsOf(ben)).toEqual([]);
  const state = await ada.api.registerQueue({ fetch_event_types: ['alert_words'] });
  expect(state.alert_words).toEqual(['bread']);
});

test('guests, bots and users of other organizations have alert words of their own', async () => {
  const [ada] = await chat.users('ada');
  const [gus, bo] = [await chat.user('gus', { role: 'guest' }), await chat.user('bo', { bot_of: ada })];
  const { owner } = await chat.otherRealm('elsewhere');
  for (const [n, person] of [ada, gus, bo, owner].entries()) await add(person, `word ${n}`, 'soup');
  await remove(ada, 'soup');
  expect(await Promise.all([ada, gus, bo, owner].map(wordsOf))).toEqual([
    ['word 0'],
    ['word 1', 'soup'],
    ['word 2', 'soup'],
    ['word 3', 'soup'],
  ]);
});

test('a blank word, or one without visible characters, fails the whole request', async () => {
  const [ada] = await chat.users('ada');
  await ada.takeEvents();
  for (const blank of ['', ' ', '\u200b', '\ufe0f'])
    await expectError('BAD_REQUEST', add(ada, 'soup', blank), /alert_words.*blank/);
  await expectError(
    'BAD_REQUEST',
    ada.api.addAlertWords({ alert_words: 'soup' as never }),
    /alert_words.*list of words/,
  );
  await expectError('REQUEST_VARIABLE_MISSING', ada.api.addAlertWords({} as never), /alert_words/);
  expect(await wordsOf(ada)).toEqual([]);
  expect(await ada.takeEvents()).toEqual([]);
});

test('a word has at most a hundred characters, counted as code points after trimming', async () => {
  const [ada] = await chat.users('ada');
  const longest = '🎉'.repeat(100);
  await add(ada, ` ${longest} `);
  await expectError('BAD_REQUEST', add(ada, `${longest}🎉`), /alert_words.*100/);
  expect(await wordsOf(ada)).toEqual([longest]);
});

test('a user has at most 200 words; words that the user has already do not count twice', async () => {
  const [ada] = await chat.users('ada');
  const words = Array.from({ length: 200 }, (_, n) => `word${n}`);
  await add(ada, ...words);
  await expectError('BAD_REQUEST', add(ada, 'one more'), /at most 200/);
  await expectError('BAD_REQUEST', add(ada, ...words, 'one more'), /limit "alert_words"/);
  expect((await add(ada, 'WORD5')).alert_words).toEqual(words);
  await remove(ada, 'word0');
  expect((await add(ada, 'one more')).alert_words).toEqual([...words.slice(1), 'one more']);
});

test('of concurrent requests a word is added once, and the last event has every word', async () => {
  const [ada] = await chat.users('ada');
  const words = ['soup', 'Soup', 'SOUP', 'bread', 'Bread', 'wine'];
  await Promise.all(words.map((word) => add(ada, word)));
  const heard = await ada.takeEvents('alert_words');
  expect(heard.map((event) => event.alert_words.length)).toEqual([1, 2, 3]);
  expect(heard.at(-1)?.alert_words).toEqual(await wordsOf(ada));
  expect((await wordsOf(ada)).map((word) => word.toLowerCase()).sort()).toEqual(['bread', 'soup', 'wine']);
});
