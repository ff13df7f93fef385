import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { listEmojiInText } from '../../text/emoji.ts';
import { codesOfNames } from './generated/table.ts';
import { ownNames } from './own-names.ts';
import {
  canRemoveEmoji,
  type EmojiQuery,
  findEmojiByName,
  findRemovableReaction,
  nameProblem,
  unicodeNamesByCode,
  validateEmoji,
} from './rules.ts';

const codeByName: Readonly<Record<string, string>> = Object.fromEntries(
  codesOfNames.split('\n').map((line) => line.split(' ')),
);
const octopus = { id: 7, name: 'octopus', deactivated: false };
const deactivated = { id: 8, name: 'gone', deactivated: true };
const custom = [octopus, deactivated];

test.each([
  ['+1', '1f44d'],
  ['thumbs_up', '1f44d'],
  ['-1', '1f44e'],
  ['thumbs_down', '1f44e'],
  ['heart', '2764'],
  ['smile', '1f642'],
  ['tada', '1f389'],
  ['octopus', '1f419'],
  ['rocket', '1f680'],
  ['car', '1f697'],
  ['check', '2705'],
  ['eyes', '1f440'],
  ['calendar', '1f4c5'],
  ['house', '1f3e0'],
  ['palm_tree', '1f334'],
  ['working_on_it', '1f6e0'],
  ['rainbow_flag', '1f3f3-200d-1f308'],
  ['flag_de', '1f1e9-1f1ea'],
  ['one', '0031-20e3'],
])('the name %s means %s', (name, code) => expect(codeByName[name]).toBe(code));

// shows: 2.37
test('codes are lower-case hex of four digits or more without the variation selector, and names are valid between colons', () => {
  const wrong = Object.entries(codeByName).filter(
    ([name, code]) =>
      !/^[a-z0-9_+-]{1,100}$/.test(name) || !/^[0-9a-f]{4,}(-[0-9a-f]{4,})*$/.test(code) || code.includes('fe0f'),
  );
  expect(wrong).toEqual([]);
  expect(Object.keys(codeByName).length).toBeGreaterThan(4000);
  expect(codeByName).toMatchObject(ownNames);
});

test.each([
  ['a name that alone means another emoji', 'cat', '1f408'],
  ['a word of the emoji', 'applause', '1f44f'],
  ['a word that many emoji have', 'happy', '1f600'],
  ['the words of the Unicode list', 'clapper_board', '1f3ac'],
])('together with its code an emoji can be named by %s', (_case, emoji_name, emoji_code) => {
  const emoji = { emoji_name, emoji_code, reaction_type: 'unicode_emoji' };
  expect(validateEmoji({ emoji_name, emoji_code }, [])).toEqual(emoji);
  expect(validateEmoji({ emoji_name, emoji_code, reaction_type: 'unicode_emoji' }, [])).toEqual(emoji);
  expect(validateEmoji({ emoji_name, emoji_code, reaction_type: 'realm_emoji' }, [])).toMatchObject({
    reason: 'not_found',
  });
  expect(validateEmoji({ emoji_name, emoji_code: '1f419' }, [])).toMatchObject({ text: expect.any(String) });
});

test('a custom emoji overrides the names of Unicode emoji, also those that need a code', () => {
  const cat = { id: 9, name: 'cat', deactivated: false };
  expect(validateEmoji({ emoji_name: 'cat', emoji_code: '1f408' }, [cat])).toMatchObject({ reason: 'invalid' });
  expect(
    validateEmoji({ emoji_name: 'cat', emoji_code: '1f408', reaction_type: 'unicode_emoji' }, [cat]),
  ).toMatchObject({
    emoji_code: '1f408',
  });
});

test('words that need a code are no names alone, and all users can use them for a custom emoji', () => {
  expect(findEmojiByName('applause', [])).toBeUndefined();
  expect(nameProblem('applause', { is_administrator: false })).toBeUndefined();
});

test('each emoji has its documented name first', () => {
  const names = unicodeNamesByCode();
  expect(names['1f642']?.[0]).toBe('smile');
  expect(names['1f44d']?.slice(0, 2)).toEqual(['+1', 'thumbs_up']);
  expect(Object.values(names).flat()).toHaveLength(Object.keys(codeByName).length);
});

test('every emoji of the Unicode list has a name and renders as a picture', () => {
  const load = createRequire(import.meta.url);
  const list = load('emojibase-data/en/data.json') as { hexcode: string; group?: number }[];
  const shown = new Set(
    Object.keys(codeByName).flatMap((name) =>
      listEmojiInText(`:${name}:`, () => ({ code: codeByName[name] ?? '' })).map(({ picture }) =>
        'code' in picture ? picture.code : '',
      ),
    ),
  );
  const codeOf = (hexcode: string) => hexcode.toLowerCase().replaceAll('-fe0f', '');
  const missing = list.filter(({ hexcode, group }) => group !== 2 && !shown.has(codeOf(hexcode)));
  expect(missing).toEqual([]);
});

// shows: 2.38 [a custom emoji, which hides a Unicode name], 2.39 [the extra emoji]
test.each([
  ['a Unicode name', 'heart', undefined, { emoji_code: '2764', reaction_type: 'unicode_emoji' }],
  ['the extra emoji', 'parley', undefined, { emoji_code: 'parley', reaction_type: 'service_extra_emoji' }],
  [
    'a custom emoji, which hides a Unicode name',
    'octopus',
    undefined,
    { emoji_code: '7', reaction_type: 'realm_emoji' },
  ],
  [
    'the overridden one with its type',
    'octopus',
    'unicode_emoji',
    { emoji_code: '1f419', reaction_type: 'unicode_emoji' },
  ],
  ['nothing of another type', 'heart', 'realm_emoji', undefined],
  ['nothing once it is deactivated', 'gone', undefined, undefined],
  ['nothing', 'constructor', undefined, undefined],
  ['nothing in other case', 'Heart', undefined, undefined],
] as const)('a name means %s', (_case, name, type, emoji) =>
  expect(findEmojiByName(name, custom, type)).toEqual(emoji && { emoji_name: name, ...emoji }),
);

// shows: 2.40
test.each([
  ['name', { emoji_name: 'heart' }, '2764'],
  ['name and code', { emoji_name: 'heart', emoji_code: '2764' }, '2764'],
  ['all three', { emoji_name: 'octopus', emoji_code: '7', reaction_type: 'realm_emoji' }, '7'],
  ['the hidden one by type', { emoji_name: 'octopus', reaction_type: 'unicode_emoji' }, '1f419'],
  ['unknown name', { emoji_name: 'gruel' }, /^emoji_name: .*"gruel"/],
  ['unknown name with a known code', { emoji_name: 'gruel', emoji_code: '2764' }, /^emoji_name/],
  ['code of another emoji', { emoji_name: 'heart', emoji_code: '1f44d' }, /^emoji_code: .*"1f44d"/],
  ['code in capitals', { emoji_name: '+1', emoji_code: '1F44D' }, /^emoji_code/],
  ['code with the variation selector', { emoji_name: 'heart', emoji_code: '2764-fe0f' }, /^emoji_code/],
  ['type of another emoji', { emoji_name: 'heart', reaction_type: 'realm_emoji' }, /^emoji_name/],
  ['deactivated', { emoji_name: 'gone', emoji_code: '8', reaction_type: 'realm_emoji' }, /^emoji_name/],
  ['id under another name', { emoji_name: 'heart', emoji_code: '7', reaction_type: 'realm_emoji' }, /^emoji_name/],
] as const)('verifying: %s', (_case, query, outcome) => {
  const found = validateEmoji(query, custom);
  if (typeof outcome === 'string') expect(found).toMatchObject({ emoji_code: outcome });
  else expect(found).toEqual({ reason: expect.any(String), text: expect.stringMatching(outcome) });
});

const unicode = 'unicode_emoji';
const removals: [string, EmojiQuery, object | RegExp][] = [
  ['name', { emoji_name: 'heart' }, { emoji_code: '2764', reaction_type: unicode }],
  ['name and type', { emoji_name: 'octopus', reaction_type: unicode }, { emoji_code: '1f419', reaction_type: unicode }],
  ['code alone is Unicode', { emoji_code: '2764' }, { emoji_code: '2764', reaction_type: unicode }],
  [
    'code, type from the name',
    { emoji_code: '8', emoji_name: 'octopus' },
    { emoji_code: '8', reaction_type: 'realm_emoji' },
  ],
  [
    'the name plays no other part',
    { emoji_code: '2764', emoji_name: 'gruel' },
    { emoji_code: '2764', reaction_type: unicode },
  ],
  [
    'deactivated by code',
    { emoji_code: '8', reaction_type: 'realm_emoji' },
    { emoji_code: '8', reaction_type: 'realm_emoji' },
  ],
  [
    'invalid code',
    { emoji_code: 'x' },
    { emoji_code: 'x', reaction_type: unicode, problem: expect.stringContaining('"x"') },
  ],
  ['invalid id', { emoji_code: '9', reaction_type: 'realm_emoji' }, { emoji_code: '9', problem: expect.any(String) }],
  [
    'invalid extra emoji',
    { emoji_code: '2764', reaction_type: 'service_extra_emoji' },
    { problem: expect.any(String) },
  ],
  ['neither name nor code', {}, /emoji_name or emoji_code/],
  ['neither, with a type', { reaction_type: unicode }, /emoji_name or emoji_code/],
  ['unknown name', { emoji_name: 'gruel' }, /"gruel"/],
  ['name of a deactivated one', { emoji_name: 'gone' }, /"gone"/],
];
// shows: 4.7.2
test.each(removals)('removing: %s', (_case, query, outcome) => {
  const found = findRemovableReaction(query, custom);
  if (outcome instanceof RegExp) expect(found).toMatchObject({ text: expect.stringMatching(outcome) });
  else expect(found).toMatchObject(outcome);
});

test.each([
  ['soup', undefined],
  ['soup-of_the-day2', undefined],
  ['-_soup', undefined],
  ['x'.repeat(100), undefined],
  ['x'.repeat(101), /100/],
  ['', /lower-case/],
  ['Soup', /lower-case/],
  ['soup_', /not ending/],
  ['soup-', /not ending/],
  ['so up', /lower-case/],
  ['+1', /lower-case/],
  ['süppchen', /lower-case/],
  ['parley', /"parley"/],
  ['octopus', /Unicode/],
])('the name of a new custom emoji: %j', (name, problem) => {
  const found = nameProblem(name, { is_administrator: false });
  problem ? expect(found?.text).toMatch(problem) : expect(found).toBeUndefined();
});

test('administrators can override a Unicode emoji, but not the extra emoji', () => {
  expect(nameProblem('octopus', { is_administrator: true })).toBeUndefined();
  expect(nameProblem('parley', { is_administrator: true })?.text).toMatch(/"parley"/);
});

test.each([
  ['its author', { id: 1, role: 400 }, true],
  ['an administrator', { id: 2, role: 200 }, true],
  ['a moderator', { id: 2, role: 300 }, false],
  ['a guest who added it', { id: 1, role: 600 }, true],
])('%s can remove it: %s', (_who, me, may) => expect(canRemoveEmoji(me, { author_id: 1 })).toBe(may));
