import { expect, test } from 'vitest';
import { RETIRED_IDIOMS, RETIRED_MAIL_TEXT, RETIRED_TEXT } from './retired-words.ts';
import {
  findIdioms,
  findRetiredComponents,
  findRetiredLocals,
  findRetiredNames,
  findRetiredProse,
  findSharedTypeNames,
  onlyProse,
  onlyTexts,
  splitName,
  withoutCode,
} from './words.ts';

test.each([
  ['emitUserAdded', ['emit', 'user', 'added']],
  ['user_groups', ['user', 'groups']],
  ['sign-in', ['sign', 'in']],
  ['HTTPServer', ['httpserver']],
])('%s consists of %j', (name, words) => {
  expect(splitName(name)).toEqual(words);
});

test.each([
  ['a function', 'export function tellUsers() {}', 'tellUsers'],
  ['a constant', 'const guestSight = [];', 'guestSight'],
  ['a type', 'interface Refusal {}', 'Refusal'],
  ['a member of a type', 'export interface User { readonly asides: string }', 'asides'],
  ['a method', 'class Queue { #tell() {} }', '#tell'],
])('a retired word in the name of %s is a problem', (_what, text, name) => {
  expect(findRetiredNames([{ path: 'src/users.ts', text }])).toEqual([
    expect.stringContaining(`src/users.ts: "${name}" has the word`),
  ]);
});

test('a retired word in the name of a file is a problem', () => {
  expect(findRetiredNames([{ path: 'src/guest-sight.test.ts', text: '' }])).toEqual([
    'src/guest-sight.test.ts: "guest-sight" has the word "sight"; use visibility.',
  ]);
});

test('a name that contains a retired word as a part of another word is no problem', () => {
  expect(
    findRetiredNames([{ path: 'src/intelligence.ts', text: 'const insight = 1; interface Storyteller {}' }]),
  ).toEqual([]);
});

test.each([
  ['a variable', 'function list() { const people = []; }', 'people'],
  ['a parameter', 'const list = (person: User) => person.id;', 'person'],
  ['a variable that a property is read into', 'const { users: somebody } = page;', 'somebody'],
  ['a method', 'class Queue { run() { class Inner { answerPolls() {} } } }', 'answerPolls'],
  ['a function', 'function open() { const askOften = () => 1; }', 'askOften'],
])('a retired word in the name of %s is a problem, at any depth', (_what, text, name) => {
  expect(findRetiredLocals([{ path: 'src/users.ts', text }])).toEqual([
    expect.stringContaining(`src/users.ts:1: "${name}" has the word`),
  ]);
});

test('a retired word in the name of a property is no problem at any depth, nor is its destructuring', () => {
  const text = 'interface Payload { person: User }\nfunction read({ person }: Payload) { return { person }; }\n';
  expect(findRetiredLocals([{ path: 'src/users.ts', text }])).toEqual([]);
});

test('two exported types of one name are a problem; types that a file does not export are not', () => {
  const files = [
    { path: 'src/users.ts', text: 'export interface Row {}' },
    { path: 'src/streams.ts', text: 'export type Row = string;' },
    { path: 'src/topics.ts', text: 'interface Row {}' },
  ];
  expect(findSharedTypeNames(files)).toEqual([
    'The type Row is exported by src/users.ts and src/streams.ts: give each a name of its own.',
  ]);
  expect(findSharedTypeNames(files.slice(1))).toEqual([]);
});

test('a retired word in the name of a component is a problem', () => {
  expect(findRetiredComponents({ responses: { Nowhere: {}, NotFound: {} }, schemas: { Refusal: {} } })).toEqual([
    'components/responses: "Nowhere" has the word "nowhere"; use UnknownOrganization.',
    'components/schemas: "Refusal" has the word "refusal"; use error, error response.',
  ]);
});

test('a retired word in a text is a problem, with its line', () => {
  const text = 'description: >-\n  Whoever asks gets it.\n';
  expect(findRetiredProse([{ path: 'paths.yaml', text }])).toEqual([
    'paths.yaml:2: say the user who, users who, the client that instead of "Whoever".',
  ]);
});

test.each(['anyone', 'hears', 'people', 'refusal', 'refused', 'sight', 'tells', 'told'])(
  '%s is a retired word in texts, in any case',
  (word) => {
    expect(findRetiredProse([{ path: 'index.md', text: `${word.toUpperCase()}.` }])).toHaveLength(1);
  },
);

test('a retired word in code of a page is no problem, and one after it has the line that it has', () => {
  const text = 'Set `ou=people`:\n\n```bash\necho "Is anybody there?"\n```\n\nPeople see it.\n';
  expect(findRetiredProse([{ path: 'index.md', text: withoutCode(text) }])).toEqual([
    'index.md:7: say users, members, humans instead of "People".',
  ]);
});

test('a text of a program is checked with its line; names, comments and words alone are not', () => {
  const text = "// nobody\nconst letter = 'letter';\nconst help = /* person */ 'post a letter to a stream';\n";
  expect(findRetiredProse([onlyTexts({ path: 'src/cli/help.ts', text })], RETIRED_MAIL_TEXT)).toEqual([
    'src/cli/help.ts:3: say email instead of "letter".',
  ]);
});

test('a letter is retired in texts about mail only, and SQL has no texts', () => {
  const text = "const rule = 'begin with a letter';\nconst query = sql`select answer from keys`;\n";
  expect(findRetiredProse([onlyTexts({ path: 'src/users/rules.ts', text })], RETIRED_TEXT)).toEqual([]);
  expect(findRetiredProse([onlyTexts({ path: 'src/mail/rules.ts', text })], RETIRED_MAIL_TEXT)).toEqual([
    'src/mail/rules.ts:1: say email instead of "letter".',
  ]);
});

test('a value that is named by an idiom is a problem; a field of that name is not', () => {
  const text = 'const event = { shown: 1 };\nexport function show(shown: User) {}\n';
  expect(findIdioms([{ path: 'src/users.ts', text }])).toEqual(['src/users.ts:2: use a noun instead of "shown".']);
});

test('an idiom of several words is a problem, also across a line break', () => {
  expect(findRetiredProse([{ path: 'guide.md', text: 'Requests that it had in\nwork fail.' }], RETIRED_IDIOMS)).toEqual(
    ['guide.md:1: say in progress instead of "in work".'],
  );
});

test('of a program, comments and texts of several words are prose; names, words alone and code in comments are not', () => {
  const text = [
    '/** What came of `twin`. */',
    "const twin = 'scene'; // a scene",
    'const text = `No answer from here.`;',
    'const data = { answer: 1 }; /* refused */',
  ].join('\n');
  expect(findRetiredProse([onlyProse({ path: 'page.ts', text })], RETIRED_IDIOMS)).toEqual([
    'page.ts:1: say the outcome, the changes instead of "What came".',
    'page.ts:2: say setup instead of "scene".',
    'page.ts:3: say response, respond instead of "answer".',
    'page.ts:4: say rejected, failed instead of "refused".',
  ]);
});
