import { expect, test } from 'vitest';
import { collectFacts, render } from './markdown.ts';
import { parseUtcTime } from './timestamps.ts';

const html = (content: string) => render(content, collectFacts()).html;

test.each([
  ['2020-05-28T13:30:00+05:30', '2020-05-28T08:00:00Z'],
  ['2020-05-28T13:30:00Z', '2020-05-28T13:30:00Z'],
  ['2020-05-28T13:30:00.250Z', '2020-05-28T13:30:00.250Z'],
  ['2020-05-28T13:30+0530', '2020-05-28T08:00:00Z'],
  ['2020-05-28 13:30:00 -08', '2020-05-28T21:30:00Z'],
  ['2020-05-28T13:30', '2020-05-28T13:30:00Z'],
  ['2020-05-28', '2020-05-28T00:00:00Z'],
  ['1590672600', '2020-05-28T13:30:00Z'],
  ['1590672600.5', '2020-05-28T13:30:00.500Z'],
  ['-1', '1969-12-31T23:59:59Z'],
  ['Thu, 28 May 2020 13:30:00 +0200', '2020-05-28T11:30:00Z'],
  ['28 May 2020 13:30', '2020-05-28T13:30:00Z'],
  ['May 28, 2020 at 1:30 PM', '2020-05-28T13:30:00Z'],
  ['May 28 2020', '2020-05-28T00:00:00Z'],
])('the time %s is %s', (typed, time) => expect(parseUtcTime(typed)).toBe(time));

test.each([
  '',
  'soup',
  'soup 5',
  'tomorrow',
  '2020-02-30',
  '2020-13-01',
  '2020-05-28T25:00Z',
  '2020-05-28T13:30+99:99',
  '99999999999999',
  '32 May 2020',
  '28 Soup 2020',
  '9'.repeat(1000),
  `May ${' '.repeat(1000)}28`,
])('%j is not a time', (typed) => expect(parseUtcTime(typed)).toBeUndefined());

test.each([
  ['<time:2020-05-28T13:30:00+05:30>', '<time datetime="2020-05-28T08:00:00Z">2020-05-28T13:30:00+05:30</time>'],
  [
    'at <time:1590672600>, *<time:2020-05-28>*',
    'at <time datetime="2020-05-28T13:30:00Z">1590672600</time>, <em><time datetime="2020-05-28T00:00:00Z">2020-05-28</time></em>',
  ],
  ['<time:so"up>', '<span class="timestamp-error">Invalid time format: so&quot;up</span>'],
  ['<time:>', '<span class="timestamp-error">Invalid time format: </span>'],
  ['`<time:1>`', '<code>&lt;time:1&gt;</code>'],
  ['\\<time:1>', '&lt;time:1&gt;'],
  ['<time:1', '&lt;time:1'],
  ['<time 1>', '&lt;time 1&gt;'],
])('%j is rendered as a time', (content, expected) => expect(html(content)).toBe(`<p>${expected}</p>`));

test.each(['- <time:0>', '> <time:0>', '```quote\n<time:0>\n```', '# <time:0>', 'a|b\n-|-\n<time:0>|'])(
  'times work in %j',
  (content) => expect(html(content)).toContain('<time datetime="1970-01-01T00:00:00Z">0</time>'),
);
