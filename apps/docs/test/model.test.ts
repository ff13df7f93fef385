import { describe, expect, test } from 'vitest';
import { catchSample } from '../src/model/catch-sample.ts';
import { errorPages } from '../src/model/errors.ts';
import { eventPages } from '../src/model/events.ts';
import { highlight } from '../src/model/highlight.ts';
import { pretty } from '../src/model/json.ts';
import { literal } from '../src/model/literal.ts';
import { inline, paragraphs } from '../src/model/markdown.ts';
import { operationPages } from '../src/model/operations.ts';
import { search } from '../src/model/search.ts';
import { plainText, referenceEntries } from '../src/model/search-index.ts';
import { siteOf } from '../src/model/site.ts';
import { limitsInWords, typeInWords } from '../src/model/words.ts';
import { small } from './document.ts';

describe('types in words', () => {
  test.each([
    [{ type: 'string' }, 'text'],
    [{ type: ['integer', 'null'] }, 'integer or null'],
    [{ type: 'boolean' }, 'true or false'],
    [{ type: 'array', items: { type: 'integer' } }, 'list of integers'],
    [{ type: 'array', items: { type: 'array', items: { type: 'string' } } }, 'list of lists of texts'],
    [{ type: 'array', items: { type: 'boolean' } }, 'list of true or false values'],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'integer or text'],
    [{ allOf: [{ $ref: '#/components/schemas/Label' }] }, 'object'],
    [{ type: 'string', 'x-expects': 'an id or a name' }, 'id or a name'],
    [{ const: 'x' }, 'text'],
    [{}, 'anything'],
  ])('%j is "%s"', (schema, words) => expect(typeInWords(small, schema)).toBe(words));

  test.each([
    [{ minimum: 0, maximum: 604800 }, '0 to 604,800'],
    [{ maxLength: 60 }, 'at most 60 characters'],
    [{ minItems: 2, maxItems: 2 }, 'exactly 2 items'],
    [{ minLength: 1 }, ''],
  ])('%j is limited to "%s"', (schema, words) => expect(limitsInWords(schema)).toBe(words));
});

describe('the page of an operation', () => {
  const [list, edit] = operationPages(small);

  test('names its parameters by place, with type, default and limits', () => {
    expect(list?.parameters).toMatchObject([
      {
        title: 'Query parameters',
        fields: [
          { name: 'since', type: 'integer', default: '3', limits: 'at least 0', required: false },
          { name: 'ids', type: 'list of integers', required: true },
        ],
      },
    ]);
    expect(edit?.parameters.map(({ title }) => title)).toEqual(['In the path', 'Form parameters']);
  });

  test('puts required parameters first and shows what is inside objects', () => {
    const fields = edit?.parameters[1]?.fields ?? [];
    expect(fields.map(({ name }) => name)).toEqual(['text', 'labels', 'colour']);
    expect(fields[1]).toMatchObject({
      type: 'list of objects',
      limits: 'at most 5 items',
      fields: [{ name: 'name' }, { name: 'hidden' }],
    });
    expect(fields[2]).toMatchObject({ values: ['blue', 'green'], default: 'blue' });
  });

  test('says who may call it', () => {
    expect(list?.access.who).toBe('Anyone, without logging in');
    expect(edit?.access.who).toBe('Administrators and owners');
  });

  test('says what else decides, in the words of the document', () => {
    const told = structuredClone(small);
    const [notes, note] = [told.paths['/notes']?.get, told.paths['/notes/{note_id}']?.patch];
    if (!notes || !note) throw new Error('The operations are missing');
    notes['x-roles'] = { refuses: ['guest'], note: 'as `note_policy` allows' };
    notes.security = [{ apiKey: [] }];
    note['x-roles'] = { who: 'Whoever wrote it' };
    expect(operationPages(told).map(({ access }) => access.who)).toEqual([
      'Every account except guests, as `note_policy` allows',
      'Whoever wrote it',
    ]);
  });

  test('says that incoming webhooks do nothing but send messages', () => {
    expect(list?.access.note).toBe('');
    expect(edit?.access.note).toBe('Not for incoming webhooks, which only send messages.');
  });

  test('shows its answer without what every success has', () => {
    expect(edit?.answer.fields.map(({ name }) => name)).toEqual(['note_id']);
    expect(JSON.parse(edit?.answer.examples[0]?.json ?? '')).toMatchObject({ result: 'success', msg: '' });
  });

  test('lists its refusals with the recorded example, or one made from the schema where the recording is not whole', () => {
    const [locked, unready] = edit?.refusals ?? [];
    expect(locked).toMatchObject({ code: 'LOCKED', status: 400, meaning: 'Somebody else edits it: wait.' });
    expect(locked?.example).toMatchObject({
      title: 'Somebody else edits it',
      made: false,
      sent: ['note_id=4', 'text=a b'],
    });
    expect(unready?.example.made).toBe(true);
    expect(JSON.parse(unready?.example.json ?? '')).toEqual({
      result: 'error',
      msg: 'It is not ready.',
      code: 'UNREADY',
    });
  });
});

test('the page of an error has its status, its extra fields and its operations', () => {
  const [locked, , lost] = errorPages(small);
  expect(locked).toMatchObject({ status: 400, extraFields: [{ name: 'by' }], operations: [{ id: 'editNote' }] });
  expect(lost).toMatchObject({ code: 'LOST', status: 404, operations: [] });
  expect(locked && catchSample(locked)).toContain('error.body.by');
});

test('a code with several shapes has one page, which says what only some of them have', () => {
  const lost = errorPages(small).filter(({ code }) => code === 'LOST');
  expect(lost).toMatchObject([
    {
      meaning: 'There is no such address. It is gone.',
      extraFields: [{ name: 'since', required: false }],
      sometimes: ['since'],
    },
  ]);
  expect(lost[0] && catchSample(lost[0])).toContain("if ('since' in error.body) console.error(error.body.since);");
});

test('events of one type share a page, one variant for each shape', () => {
  expect(eventPages(small)).toMatchObject([
    { type: 'note', variants: [{ ops: ['add'] }, { ops: ['lock', 'unlock'] }] },
    { type: 'tick', variants: [{ ops: [] }] },
  ]);
});

test('names in descriptions lead to their pages', () => {
  const site = siteOf(small);
  const html = paragraphs(site.operations[1]?.description ?? '', site.linkOf);
  expect(html).toContain('<a href="/docs/errors/LOCKED/"><code>LOCKED</code></a>');
  expect(html).toContain('<a href="/docs/reference/getNotes/">');
});

test('descriptions cannot bring in markup or scripts', () => {
  expect(inline('<b>`<i>`</b> **x** [a](javascript:x)')).toBe(
    '&lt;b&gt;<code>&lt;i&gt;</code>&lt;/b&gt; <strong>x</strong> [a](javascript:x)',
  );
});

test('highlighting keeps the code as it is', () => {
  const code = 'const a = { "b": `x$' + "{1}`, c: '<d>' }; // e";
  const text = highlight(code, 'ts')
    .replace(/<\/?span[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"');
  expect(text).toBe(code);
  expect(highlight('{"a": 1}', 'json')).toBe(
    '{<span class="t-name">&quot;a&quot;</span>: <span class="t-number">1</span>}',
  );
});

test.each([
  [null],
  ['it\'s "so"\n'],
  [[1, [2], { 'a-b': 'c' }]],
  [{ long: 'x'.repeat(80), list: [{ a: 1 }, { b: ['y'.repeat(70)] }] }],
])('literals and JSON mean the value: %j', (value) => {
  expect(new Function(`return (${literal(value)})`)()).toEqual(value);
  expect(JSON.parse(pretty(value))).toEqual(value);
});

describe('search', () => {
  const entries = referenceEntries(siteOf(small));
  const titles = (query: string) => search(entries, query).map(({ entry }) => entry.title);

  test('finds operations by title, path, parameter and camel-cased words of their name', () => {
    expect(titles('edit')[0]).toBe('Edit a note');
    expect(titles('get notes')[0]).toBe('List notes');
    expect(titles('labels')).toEqual(['Edit a note']);
  });

  test('finds codes and events, and nothing for nothing', () => {
    expect(titles('LOCKED')[0]).toBe('LOCKED');
    expect(titles('unlock')).toEqual(['note']);
    expect(titles('  ')).toEqual([]);
    expect(titles('(((')).toEqual([]);
  });

  test('reads guides without their marks', () => {
    expect(plainText('import X from "y";\n## A\n`b` [c](/d) <E />\n```sh\nf\n```')).toBe('A b c');
  });
});
