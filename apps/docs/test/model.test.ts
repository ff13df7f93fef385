import { describeConstraints, describeType } from '@parley/openapi/document';
import { describe, expect, test } from 'vitest';
import { toSiteUrl } from '../src/model/behaviour.ts';
import { catchSample } from '../src/model/catch-sample.ts';
import { errorPages } from '../src/model/errors.ts';
import { eventPages } from '../src/model/events.ts';
import { highlight } from '../src/model/highlight.ts';
import { pretty } from '../src/model/json.ts';
import { literal } from '../src/model/literal.ts';
import { inline, paragraphs } from '../src/model/markdown.ts';
import { objectPages } from '../src/model/objects.ts';
import { operationPages } from '../src/model/operations.ts';
import { listScopeGroups } from '../src/model/scopes.ts';
import { createSearch } from '../src/model/search.ts';
import { plainText, referenceEntries } from '../src/model/search-index.ts';
import { siteOf } from '../src/model/site.ts';
import { small } from './document.ts';

describe('types in words', () => {
  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'string', format: 'email' }, 'string (email)'],
    [{ type: ['integer', 'null'] }, 'integer or null'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'array', items: { type: 'integer' } }, 'array of integers'],
    [{ type: 'array', items: { type: 'array', items: { type: 'string' } } }, 'array of arrays of strings'],
    [{ type: 'array', items: { type: 'boolean' } }, 'array of booleans'],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 'integer or string'],
    [{ allOf: [{ $ref: '#/components/schemas/Label' }] }, 'object'],
    [{ type: 'string', 'x-expects': 'an id or a name' }, 'string'],
    [{ const: 'x' }, 'string'],
    [{}, 'anything'],
  ])('the type of %j is "%s"', (schema, words) => expect(describeType(small, schema)).toBe(words));

  test.each([
    [{ minimum: 0, maximum: 604800 }, '0 to 604,800'],
    [{ maxLength: 60 }, 'at most 60 characters'],
    [{ minItems: 2, maxItems: 2 }, 'exactly 2 items'],
    [{ minLength: 1 }, ''],
    [{ 'x-expects': 'an id or a name' }, 'an id or a name'],
    [{ minimum: 0, 'x-expects': 'an integer of at least 0' }, 'at least 0'],
  ])('the limits of %j are "%s"', (schema, words) => expect(describeConstraints(schema)).toBe(words));
});

describe('the page of an operation', () => {
  const [list, edit] = operationPages(small);

  test('names its parameters by location, with type, default and limits', () => {
    expect(list?.parameters).toMatchObject([
      {
        title: 'Query parameters',
        fields: [
          { name: 'since', type: 'integer', default: '3', limits: 'at least 0', required: false },
          { name: 'ids', type: 'array of integers', required: true },
        ],
      },
    ]);
    expect(edit?.parameters.map(({ title }) => title)).toEqual(['In the path', 'Form parameters']);
  });

  test('puts required parameters first and shows what is inside objects', () => {
    const fields = edit?.parameters[1]?.fields ?? [];
    expect(fields.map(({ name }) => name)).toEqual(['text', 'labels', 'colour']);
    expect(fields[1]).toMatchObject({
      type: 'array of objects',
      limits: 'at most 5 items',
      fields: [{ name: 'name' }, { name: 'hidden' }],
    });
    expect(fields[2]).toMatchObject({ values: ['blue', 'green'], default: 'blue' });
  });

  test('says which roles can call it', () => {
    expect(list?.access.who).toBe('All clients, without credentials');
    expect(edit?.access.who).toBe('Administrators and owners');
  });

  test('has the role and the note of the document', () => {
    const doc = structuredClone(small);
    const [notes, note] = [doc.paths['/notes']?.get, doc.paths['/notes/{note_id}']?.patch];
    if (!notes || !note) throw new Error('The operations are missing');
    notes['x-roles'] = { refuses: ['guest'], note: 'as `note_policy` allows' };
    notes.security = [{ apiKey: [] }];
    note['x-roles'] = { who: 'Whoever wrote it' };
    expect(operationPages(doc).map(({ access }) => access.who)).toEqual([
      'Every account except guests, as `note_policy` allows',
      'Whoever wrote it',
    ]);
  });

  test('says that incoming webhooks only send messages', () => {
    expect(list?.access.note).toBe('');
    expect(edit?.access.note).toMatch(/^Incoming webhooks cannot call it: they can only send messages\./);
  });

  test('says which scope a token needs, and lists operations by scope', () => {
    expect(edit?.access.note).toContain('needs the scope `admin`, and can be limited to a stream.');
    const groups = listScopeGroups(siteOf(small)).map(({ scope, operations }) => [
      scope,
      operations.map(({ id }) => id),
    ]);
    expect(groups).toEqual([
      ['read', []],
      ['write', []],
      ['admin', ['editNote']],
      ['key', []],
    ]);
  });

  test('shows its response without the keys of every success', () => {
    expect(edit?.response.fields.map(({ name }) => name)).toEqual(['note_id']);
    expect(JSON.parse(edit?.response.examples[0]?.json ?? '')).toMatchObject({ result: 'success', msg: '' });
  });

  test('lists its errors with the recorded example, or one made from the schema where the recording is incomplete', () => {
    const [locked, unready] = edit?.errors ?? [];
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

test('the page of an error shows the calls that lead to it, and the error response', () => {
  const recorded = structuredClone(small);
  const refused = recorded.paths['/notes/{note_id}']?.patch?.responses['400'];
  const example = refused?.content?.['application/json']?.examples?.LOCKED;
  if (!example) throw new Error('The example is missing');
  example['x-given'] = [{ as: 'ada', operation: 'getNotes', params: { since: 2 }, answers: { note_id: 4 } }];
  example['x-request'] = { as: 'nobody', params: { note_id: '$given.0.note_id' } };
  const [locked, unready] = errorPages(recorded);
  expect(locked?.reproduction).toMatchObject({
    title: 'Somebody else edits it',
    steps: [
      { who: 'Ada', id: 'getNotes', summary: 'List notes', address: 'GET /notes', sent: ['since=2'] },
      { who: 'A client without credentials', id: 'editNote', sent: ['note_id=4'] },
    ],
  });
  expect(JSON.parse(locked?.reproduction?.json ?? '')).toMatchObject({ code: 'LOCKED', by: 9 });
  expect(unready?.reproduction).toBeUndefined();
});

test('the request of an example that operations share is not shown for each of them', () => {
  const shared = structuredClone(small);
  const refused = shared.paths['/notes/{note_id}']?.patch?.responses['400'];
  const example = refused?.content?.['application/json']?.examples?.LOCKED;
  if (example) example['x-request'] = { operation: 'getNotes', params: { since: 2 } };
  expect(operationPages(shared)[1]?.errors[0]?.example.sent).toBeUndefined();
  expect(errorPages(shared)[0]?.reproduction?.steps).toMatchObject([{ id: 'getNotes', sent: ['since=2'] }]);
});

test('a code with several shapes has one page, which says which fields only some of them have', () => {
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

test('variants with the same ops are distinguished by the constant in which they differ', () => {
  const typing = (message_type: string) => ({
    properties: { type: { const: 'typing' }, op: { enum: ['start', 'stop'] }, message_type: { const: message_type } },
  });
  const doc = structuredClone(small);
  doc.components.schemas.Event = { oneOf: [typing('direct'), typing('stream')] };
  expect(eventPages(doc)[0]?.variants.map(({ kind }) => kind)).toEqual(['direct', 'stream']);
  expect(eventPages(small)[0]?.variants.map(({ kind }) => kind)).toEqual(['', '']);
});

test('an event is shown as it was delivered, with its id', () => {
  const heard = structuredClone(small);
  const [add] = heard.components.schemas.Event?.oneOf ?? [];
  if (!add) throw new Error('The event is missing');
  add.examples = [{ type: 'note', op: 'add' }];
  add['x-recorded'] = [{ name: 'note', summary: 'Ada writes a note', id: 4 }];
  const [note] = eventPages(heard);
  expect(note?.variants[0]?.examples).toMatchObject([{ title: 'Ada writes a note', made: false }]);
  expect(JSON.parse(note?.variants[0]?.examples[0]?.json ?? '')).toEqual({ type: 'note', op: 'add', id: 4 });
});

test('the description of an event type is one line about all its variants', () => {
  const doc = structuredClone(small);
  const [add, lock] = doc.components.schemas.Event?.oneOf ?? [];
  Object.assign(add ?? {}, { description: 'There is a new note.\nIt has no labels.' });
  Object.assign(lock ?? {}, { description: 'A note was locked, or\nunlocked. Wait.' });
  expect(eventPages(doc).map(({ summary }) => summary)).toEqual([
    'There is a new note. A note was locked, or unlocked.',
    'About tick.',
  ]);
});

test('an object is shown with its fullest recorded example, without the values around it', () => {
  const recorded = structuredClone(small);
  const label = { name: 'urgent', hidden: true };
  const edit = recorded.paths['/notes/{note_id}']?.patch;
  const content = edit?.responses['200']?.content?.['application/json'];
  if (!content) throw new Error('The response is missing');
  const params = { note_id: 4, text: 'a', labels: [{ name: 'new' }, label, { name: 'old', hidden: false }] };
  content.examples = { done: { 'x-request': { params }, value: { result: 'success', msg: '', note_id: 4 } } };
  const labels = (doc: typeof small) => objectPages(doc).find(({ name }) => name === 'Label')?.example;
  expect(labels(small)?.made).toBe(true);
  expect(labels(recorded)).toEqual({ json: pretty(label), made: false });
});

test('names in descriptions are links to their pages', () => {
  const site = siteOf(small);
  const html = paragraphs(site.operations[1]?.description ?? '', site.linkOf);
  expect(html).toContain('<a href="/docs/errors/LOCKED/"><code>LOCKED</code></a>');
  expect(html).toContain('<a href="/docs/reference/getNotes/">');
});

test('descriptions cannot contain markup or scripts', () => {
  expect(inline('<b>`<i>`</b> **x** [a](javascript:x)')).toBe(
    '&lt;b&gt;<code>&lt;i&gt;</code>&lt;/b&gt; <strong>x</strong> [a](javascript:x)',
  );
});

test('highlighting does not change the code', () => {
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
])('literals and JSON have the same value: %j', (value) => {
  expect(new Function(`return (${literal(value)})`)()).toEqual(value);
  expect(JSON.parse(pretty(value))).toEqual(value);
});

describe('search', () => {
  const search = createSearch(referenceEntries(siteOf(small)));
  const titles = (query: string) => search(query).map(({ title }) => title);

  test('finds operations by title, path, parameter and camel-cased words of their name', () => {
    expect(titles('edit')[0]).toBe('Edit a note');
    expect(titles('get notes')[0]).toBe('List notes');
    expect(titles('labels')).toEqual(['Edit a note', 'Label']);
  });

  test('finds codes and events, and nothing for nothing', () => {
    expect(titles('LOCKED')[0]).toBe('LOCKED');
    expect(titles('unlock')).toEqual(['note']);
    expect(titles('  ')).toEqual([]);
    expect(titles('(((')).toEqual([]);
  });

  test('reads guides without their marks, and their code', () => {
    expect(plainText('import X from "y";\n## A\n`b` [c](/d) <E />\n```sh\nimport f\n```')).toBe('A b c import f');
  });
});

test.each([
  ['streams.md', '/docs/behaviour/streams/'],
  ['streams.md#who-can-post', '/docs/behaviour/streams/#who-can-post'],
  ['index.md', '/docs/behaviour/'],
  ['#here', '#here'],
  ['https://example.com/a.md', 'https://example.com/a.md'],
])('on a page, a link to %s has the address %s', (href, url) => expect(toSiteUrl(href)).toBe(url));
