// How the console handles the values of its form, a pasted command, and a response.
import { describe, expect, test } from 'vitest';
import { openapi, site } from '../src/document.ts';
import { type ConsoleData, consoleOf } from '../src/model/console.ts';
import { fillFrom, readCurl } from '../src/model/curl.ts';
import { entered, textOf } from '../src/model/form.ts';
import { isDestructive } from '../src/model/is-destructive.ts';
import { samplesOf } from '../src/model/samples.ts';
import { findResponseSchema, listSchemaErrors } from '../src/model/validate.ts';

const consoles = new Map(site.operations.map((page) => [page.id, consoleOf(openapi, page)]));

function consoleFor(id: string): ConsoleData {
  const found = consoles.get(id);
  if (!found) throw new Error(`There is no console for ${id}.`);
  return found;
}

const enter = (id: string, name: string, text: string) => {
  const { fields, schemas } = consoleFor(id);
  const field = fields.find((one) => one.name === name);
  if (!field) throw new Error(`${id} has no field ${name}.`);
  return entered(field, text, schemas);
};

describe.each([...consoles])('the console of %s', (_, data) => {
  test('has the values of the example, and reads back the same', () => {
    const params = Object.fromEntries(
      data.fields
        .filter(({ name }) => name in data.call.params)
        .map((field) => [field.name, entered(field, textOf(data.call.params[field.name]), data.schemas).value]),
    );
    expect(params).toEqual(data.call.params);
  });

  test('validates the recorded responses as documented', () => {
    const page = site.operations.find(({ id }) => id === data.call.operationId);
    const shown = [
      ...(page?.response.examples ?? []).map((example) => ({ status: 200, example })),
      ...(page?.errors ?? []).map(({ status, example }) => ({ status, example })),
    ];
    for (const { status, example } of shown) {
      if (example.made) continue;
      const body: unknown = JSON.parse(example.json);
      const schema = findResponseSchema(data.responses, data.schemas, status, body);
      expect(schema && listSchemaErrors(body, schema, data.schemas), example.json).toEqual([]);
    }
  });

  test('reads its own curl sample', () => {
    const { call, fields } = data;
    const [sample] = samplesOf(call, 'http://localhost:8080');
    const pasted = readCurl(sample?.code ?? '');
    const filled = pasted && fillFrom(pasted, call, fields);
    expect(filled?.unknown).toEqual([]);
    expect(filled?.left).toEqual((call.files ?? []).map((name) => `the file of ${name}`));
    const back = fields.map((field) => [field, filled?.texts.get(field.name)] as const);
    const values = back.flatMap(([field, text]) =>
      text === undefined ? [] : [[field.name, entered(field, text || '""', data.schemas).value]],
    );
    expect(Object.fromEntries(values)).toEqual(call.params);
  });
});

describe('a field of the console', () => {
  test('that is empty is not sent, and two quotes are an empty string', () => {
    expect(enter('sendMessage', 'topic', '')).toEqual({});
    expect(enter('sendMessage', 'topic', '""')).toEqual({ value: '' });
    expect(enter('sendMessage', 'content', '').problem).toBe('This field is required.');
  });

  test('accepts a number where one is valid, and an unquoted name as it is', () => {
    expect(enter('sendMessage', 'to', '7')).toEqual({ value: 7 });
    expect(enter('sendMessage', 'to', '[7, 9]')).toEqual({ value: [7, 9] });
    expect(enter('sendMessage', 'to', 'design')).toEqual({ value: 'design' });
    expect(enter('sendMessage', 'content', '7')).toEqual({ value: '7' });
  });

  test('shows an error before anything is sent', () => {
    expect(enter('getMessages', 'num_before', 'many').problem).toMatch(/^This must be an integer/);
    expect(enter('updateMessageFlags', 'messages', '[4, ').problem).toMatch(/^This must be an array of integers/);
    expect(enter('sendMessage', 'type', 'streams').problem).toBe('This must be one of direct, private, stream.');
  });

  test.each([
    ['getMessages', 'num_before', '-3', 'This must be an integer of at least 0.'],
    ['scheduleMessage', 'to', 'me', 'This must be the id of a stream or a list of user ids.'],
    ['getMessages', 'anchor', 'middle', 'This must be a message id, "newest", "oldest" or "first_unread".'],
    ['updateMessageFlags', 'messages', '["a"]', 'Entry 0 must be an integer.'],
    ['updateMessageFlags', 'messages', '[1, 2.5]', 'Entry 1 must be an integer.'],
    [
      'subscribe',
      'subscriptions',
      '[{"nam":"a"}]',
      'Entry 0 cannot have "nam", only name, description, color. Entry 0 lacks "name".',
    ],
    ['subscribe', 'subscriptions', '[{"name":"a"},{"name":7}]', '"name" of entry 1 must be a string.'],
  ])('shows for %s, %s: %s the documented type: %s', (id, name, text, problem) => {
    expect(enter(id, name, text).problem).toBe(problem);
  });

  test('never shows the words of a validator', () => {
    const texts = ['[{"nam":1}]', '{"nam":[]}', '[["x"]]', '-1', '2.5', 'null', '[]', 'x y', '"', '99999999999', '""'];
    const problems = [...consoles.values()].flatMap(({ fields, schemas }) =>
      fields.flatMap((field) => texts.map((text) => entered(field, text, schemas).problem ?? '')),
    );
    for (const problem of problems) expect(problem).not.toMatch(/schema|instance|pattern|undefined|as the doc|a the /i);
  });
});

test('validation finds an undocumented response, and one with an undocumented status', () => {
  const { responses, schemas } = consoleFor('sendMessage');
  const schema = findResponseSchema(responses, schemas, 200, {});
  const faults = (body: unknown) => schema && listSchemaErrors(body, schema, schemas, 'the response');
  expect(faults({ result: 'success', msg: '', id: 'x' })).toEqual(['"id" must be an integer.']);
  expect(faults({ result: 'success', msg: '' })).toEqual(['The response lacks "id".']);
  expect(findResponseSchema(responses, schemas, 418, {})).toBeUndefined();
  expect(findResponseSchema(responses, schemas, 400, { code: 'NEVER_HEARD' })).toBeUndefined();
});

describe('a curl command', () => {
  test('can be quoted and split across lines in every way of shells', () => {
    const command = String.raw`curl -sSX POST 'https://chat.example.com/api/v1/messages' \
      -u hamlet@example.com:KEY --data-urlencode "content=say \"hi\"" -d 'type=stream&to=a%20b' --data-urlencode $'topic=it\'s'`;
    expect(readCurl(command)).toEqual({
      method: 'POST',
      path: '/messages',
      fields: [
        ['content', 'say "hi"'],
        ['type', 'stream'],
        ['to', 'a b'],
        ['topic', "it's"],
      ],
      login: { email: 'hamlet@example.com', apiKey: 'KEY' },
      left: [],
    });
  });

  const address = 'http://localhost:8080/api/v1/messages';
  const post = (rest: string) => readCurl(`curl ${rest} ${address}`);

  test.each([
    '-sX POST',
    '-sSX POST',
    '-sXPOST',
    '--request POST',
    '-X POST --connect-timeout 5 --retry 3 -o out.json -m 5 --max-time 7 -w "%{http_code}"',
    '-X POST --unheard-of 5',
    '-X POST -x http://proxy.example.com:3128 -e https://other.example.com/',
    '-X POST 2>/dev/null >out.json',
  ])('with %s has the same path', (options) => {
    expect(post(options)).toMatchObject({ method: 'POST', path: '/messages', fields: [], left: [] });
  });

  test('can have its flags and its credentials in one word', () => {
    expect(post('-sSu ada@example.com:KEY')?.login).toEqual({ email: 'ada@example.com', apiKey: 'KEY' });
    expect(post(`-H 'Authorization: Basic ${btoa('ada@example.com:KEY')}'`)?.login).toEqual({
      email: 'ada@example.com',
      apiKey: 'KEY',
    });
    expect(post("-H 'Authorization: Bearer KEY'")).toMatchObject({ left: ['the credentials of Authorization'] });
  });

  test.each([
    `-H 'Content-Type: application/json' -d '{"type":"stream","to":[7],"content":"","read":false}'`,
    `--json '{"type":"stream","to":[7],"content":"","read":false}'`,
  ])('with a JSON body fills its properties: %s', (options) => {
    const fields = [
      ['type', 'stream'],
      ['to', '[7]'],
      ['content', ''],
      ['read', 'false'],
    ];
    expect(post(options)).toMatchObject({ method: 'POST', fields, left: [] });
  });

  test('can write any letter as shells do between $ and quotes', () => {
    const text = String.raw`a\u0021\x41\303\244\xc3\xa4\n\'\\\U0001F600\ud83d\ude00`;
    expect(post(`--data-urlencode $'content=${text}'`)?.fields).toEqual([['content', "a!Aää\n'\\😀😀"]]);
  });

  test('ends where the next one begins, and can have a prompt before it', () => {
    const ends = [' && rm -r x', '; ls', ' | jq .', '\nls -d x', ' & ls', '|jq'];
    for (const end of ends) expect(readCurl(`$ curl -d a=b ${address}${end}`), end).toEqual(post('-d a=b'));
    expect(readCurl(`# a remark; it's one\n\ncurl -d a=b ${address} # another`)).toEqual(post('-d a=b'));
    expect(readCurl(`curl ${address}?a=1&b=2`)?.fields).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  test('can have question marks in its query', () => {
    expect(readCurl(`curl '${address}?a=what?now&b=1#part'`)).toMatchObject({
      path: '/messages',
      fields: [
        ['a', 'what?now'],
        ['b', '1'],
      ],
    });
  });

  test('has a list of what the form could not use', () => {
    const pasted = post(`-d type=streams -d to=7 -d to=9 -d nowhere=1 -d @body.txt --data-urlencode content@c.txt`);
    const { call, fields } = consoleFor('sendMessage');
    const filled = pasted && fillFrom(pasted, call, fields);
    expect(filled).toEqual({
      texts: new Map([
        ['to', '9'],
        ['nowhere', '1'],
      ]),
      unknown: ['nowhere'],
      left: ['to=7', 'type=streams', 'the body in body.txt', 'content from the file c.txt'],
    });
    const nameless = readCurl(`curl --data-urlencode hello ${address}`);
    expect(nameless && fillFrom(nameless, call, fields)?.unknown).toEqual(['a text without a name']);
    expect(post("--json '[1'")?.left).toEqual(['a body that is not a JSON object']);
  });

  test('for another operation is rejected, and so is text that is no command', () => {
    const pasted = readCurl('curl http://localhost:8080/api/v1/users/me');
    expect(pasted && fillFrom(pasted, consoleFor('sendMessage').call, [])).toBeUndefined();
    expect(readCurl('wget http://localhost:8080')).toBeUndefined();
    expect(readCurl('a message')).toBeUndefined();
  });

  test('that is incomplete throws no error', () => {
    expect(readCurl("curl 'http://x")).toBeDefined();
    expect(readCurl('curl')).toBeUndefined();
    const pasted = readCurl('curl http://localhost/api/v1/messages/%E0%A4%A');
    expect(pasted && fillFrom(pasted, consoleFor('getMessage').call, consoleFor('getMessage').fields)).toBeUndefined();
  });
});

describe('a call is destructive', () => {
  const TAKING = /^(Archive|Deactivate|Delete|Empty|Regenerate|Remove|Stop|Take|Unmute|Unsubscribe) /;
  const without = (id: string) => isDestructive({ ...consoleFor(id).call, params: {} });

  test('if its operation is', () => {
    for (const { id, summary } of site.operations) if (TAKING.test(summary)) expect(without(id), summary).toBe(true);
    for (const id of ['sendMessage', 'getMessages', 'muteUser', 'updateUser', 'registerQueue'])
      expect(without(id), id).toBe(false);
  });

  test('if its parameters are', () => {
    const taking = (id: string, params: Record<string, unknown>) => isDestructive({ ...consoleFor(id).call, params });
    expect(taking('updateSubscriptions', { delete: ['general'] })).toBe(true);
    expect(taking('updateSubscriptions', { add: [{ name: 'general' }], delete: [] })).toBe(false);
    expect(taking('updateUserGroupMembers', { user_group_id: 9, delete: [5] })).toBe(true);
    expect(taking('updateMessageFlags', { op: 'remove', flag: 'starred', messages: [4] })).toBe(true);
    expect(taking('sendMessage', { content: 'remove it' })).toBe(false);
  });
});
