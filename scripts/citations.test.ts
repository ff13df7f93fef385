import { expect, test } from 'vitest';
import { findDeadCitations, findUnclearHeadings, readHeadings } from './citations.ts';

const page = {
  path: 'docs/behaviour/streams.md',
  text: '## Who can post\n\nText.\n\n## Default streams\n\n- [see](#who-can-post), [rates](limits.md#windows)\n',
};
const limits = { path: 'docs/behaviour/limits.md', text: '## Windows\n' };
const headings = readHeadings([page, limits]);

test.each([
  ['a heading', '// Posting (docs/behaviour/streams.md#who-can-post).'],
  ['a page', '// docs/behaviour/limits.md has the numbers.'],
  ['something else', '// The behaviour of 4.4 million users, and what a page of 10 shows.'],
])('%s can be cited', (_what, text) => {
  expect(findDeadCitations([{ path: 'src/streams.ts', text }], headings)).toEqual([]);
});

test.each([
  ['a heading that does not exist', 'docs/behaviour/streams.md#who-can-read'],
  ['a heading of another page', 'docs/behaviour/limits.md#who-can-post'],
  ['a page that does not exist', 'docs/behaviour/channels.md#who-can-post'],
  ['no heading after its mark', 'docs/behaviour/streams.md#'],
])('%s is a problem, with its line', (_what, citation) => {
  expect(findDeadCitations([{ path: 'src/streams.ts', text: `\n// (${citation}).` }], headings)).toEqual([
    `src/streams.ts:2: there is no such rule: ${citation}`,
  ]);
});

test('links between pages and within one are checked', () => {
  expect(findDeadCitations([page, limits], headings)).toEqual([]);
  expect(findDeadCitations([page, limits], readHeadings([page, { ...limits, text: '## Lengths\n' }]))).toEqual([
    'docs/behaviour/streams.md:7: there is no such rule: ](limits.md#windows)',
  ]);
  const without = { ...page, text: page.text.replace('## Who can post', '## Who can write') };
  expect(findDeadCitations([without], readHeadings([without, limits]))).toEqual([
    'docs/behaviour/streams.md:7: there is no such rule: ](#who-can-post)',
  ]);
});

test.each(['behaviour 4.4', 'Behaviour 5', 'behaviour section 5', 'behaviour.md 2.1', 'behaviour, 3.7'])(
  'a rule that is cited as %s is a problem',
  (found) => {
    expect(findDeadCitations([{ path: 'a.ts', text: `// As it says (${found}).` }], headings)).toEqual([
      `a.ts:1: cite a heading of docs/behaviour/ instead of "${found}".`,
    ]);
  },
);

test('two headings with one id, and headings with punctuation, are problems', () => {
  const text = '## Who can post\n\n### Who can POST\n\n## Roles & policies\n';
  expect(findUnclearHeadings([{ path: 'a.md', text }])).toEqual([
    'a.md: "Roles & policies" must consist of words, numbers and single spaces or hyphens.',
    'a.md: two headings have the id "who-can-post".',
  ]);
});
