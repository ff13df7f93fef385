import { expect, test } from 'vitest';
import { emojiNames, listEmojiInText } from './emoji.ts';
import type { EmojiPicture } from './render-facts.ts';

const known: Record<string, EmojiPicture> = {
  tada: { code: '1f389' },
  '+1': { code: '1f44d' },
  working_on_it: { code: '1f6e0' },
  flag: { code: '1f1e9-1f1ea' },
  cat: { image: '/user_avatars/2/emoji/cat.png' },
  far: { image: 'https://example.com/a.png' },
  farther: { image: '//example.com/a.png' },
  script: { image: 'javascript:alert(1)' },
  broken: { code: 'x' },
  quote: { code: '1f389" onclick="a' },
};
const find = (text: string) => listEmojiInText(text, (name) => known[name]);

test.each([
  [':tada:', [{ start: 0, end: 6, name: 'tada', picture: { code: '1f389' } }]],
  ['a :+1:!', [{ start: 2, end: 6, name: '+1', picture: { code: '1f44d' } }]],
  [':flag:', [{ start: 0, end: 6, name: 'flag', picture: { code: '1f1e9-1f1ea' } }]],
  [':cat:', [{ start: 0, end: 5, name: 'cat', picture: { image: '/user_avatars/2/emoji/cat.png' } }]],
])('%s is an emoji', (text, found) => expect(find(text)).toEqual(found));

test.each([
  [':tada::tada:', ['tada', 'tada']],
  [':nope:tada:', ['tada']],
  ['::tada::', ['tada']],
  [':tada:tada:', ['tada']],
  ['10:30:45', []],
  [': tada:', []],
  [':tada', []],
  [':TADA:', []],
  [':broken: :quote:', []],
  [':far: :farther: :script:', []],
])('the emoji in %s are %j', (text, names) => expect(find(text).map(({ name }) => name)).toEqual(names));

test('without a table no name is an emoji', () => expect(listEmojiInText(':tada:', undefined)).toEqual([]));

test.each([
  [':tada:', ['tada']],
  [':a:b: and :c:', ['a', 'b', 'c']],
  ['`:a:`', ['a']],
  ['10:30:45', ['30']],
  ['::', []],
  [`:${'x'.repeat(101)}:`, []],
  ['no colons', []],
])('the possible emoji names in %s are %j', (text, names) => expect(emojiNames(text)).toEqual(names));
