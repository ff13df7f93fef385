import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { containsWord, firstPiece, listPieces, wordKey } from './alert-words.ts';
import { collectFacts, render } from './markdown.ts';

const shown = (content: string, known = {}) => render(content, collectFacts(known)).shown;
const isIn = (word: string, content: string) => containsWord(wordKey(shown(content)), wordKey(word));

describe('an alert word is found', () => {
  // shows: 2.35 [whatever its case]
  test.each([
    ['whatever its case', 'Soup', 'no SOUP today'],
    ['in any case of any alphabet', 'straße', 'STRASSE'],
    ['in Greek, where a letter has two small forms', 'ΟΔΟΣ', 'η οδός, οδος'],
    ['with accents made of one character or of two', 'cafe\u0301', 'the café'],
    ['at the beginning, in quotes, before a full stop', 'soup', '"soup".'],
    ['with signs at its end', 'c++', 'I like (C++, Rust)'],
    ['with signs at its beginning', '.net', 'on .NET!'],
    ['of several words', 'arrow & sling', 'the Arrow & Sling of fortune'],
    ['with any kind of space in it', 'pea soup', 'pea \t soup, pea\u00a0soup'],
    ['over the end of a line', 'pea soup', 'pea\nsoup'],
    ['in Chinese, which has no spaces', '会议', '今天会议取消'],
    ['in Japanese', 'スープ', '今日のスープはおいしい'],
    ['in Thai', 'กาแฟ', 'ขอกาแฟหนึ่งแก้ว'],
    ['of nothing but signs, wherever it stands', '!!!', 'wow!!!'],
    ['that is an emoji, in either of its variants', '❤', 'love❤️'],
    ['in emphasis', 'soup', 'pea**soup** is one word, *soup* is another'],
    ['in code within a line', 'make soup', 'try `make soup`'],
    ['in a quotation', 'soup', '> soup'],
    ['in a table', 'soup', '| a | b |\n|---|---|\n| c | soup |'],
    ['in the words of a link', 'soup', '[the soup](https://example.com/)'],
  ])('%s', (_case, word, content) => expect(isIn(word, content)).toBe(true));

  test('in the names that mentions show', () => {
    const users = [{ id: 7, full_name: 'Ada Lovelace' }];
    const text = wordKey(shown('@**Ada Lovelace** and @**all**', { users }));
    expect(['ada', '@ada lovelace', '@all'].map((word) => containsWord(text, wordKey(word)))).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('an alert word is not found', () => {
  test.each([
    ['in a longer word', 'cat', 'concatenate cats scat'],
    ['before a digit or an underscore', 'cat', 'cat5 cat_food my_cat'],
    ['before an accent that belongs to its last letter', 'cafe', 'the café'],
    ['in an address', '@all', 'me@all.org'],
    ['behind the letters of a name', '.net', 'asp.net'],
    ['in an address that became a link', 'soup', 'https://soup.example/soup'],
    ['in the address of a link', 'soup', '[here](https://example.com/soup)'],
    ['in a block of code', 'soup', '```\nsoup\n```\n\n    soup'],
    ['over the end of a paragraph', 'pea soup', 'pea\n\nsoup'],
    ['over an address that stands between', 'pea soup', 'pea https://example.com/ soup'],
  ])('%s', (_case, word, content) => expect(isIn(word, content)).toBe(false));
});

test.each([
  ['c++', 'c'],
  ['@all', 'all'],
  ['!!!', '!'],
  ['会议', '会'],
  ['🎉 party', 'party'],
  ['🎉', '🎉'],
  ['\u200b', ''],
])('%j is indexed by %j', (word, piece) => expect(firstPiece(wordKey(word))).toBe(piece));

test("a text that contains a word has the word's first piece among its own", () => {
  const part = fc.oneof(
    fc.constantFrom(
      'soup',
      'Soup',
      'pea soup',
      'c++',
      '@all',
      '!!!',
      '会议',
      'กา',
      'ก',
      '❤️',
      'ß',
      'SS',
      '_',
      '1',
      ' ',
      '\n',
      '.',
    ),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  );
  const texts = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, texts, texts, (before, word, after) => {
      const [text, key] = [wordKey(before + word + after), wordKey(word)];
      const piece = firstPiece(key);
      if (piece === '' || /^\p{M}/u.test(key) || !containsWord(text, key)) return;
      expect(listPieces([text])).toContain(piece);
    }),
    { numRuns: 2000 },
  );
});
