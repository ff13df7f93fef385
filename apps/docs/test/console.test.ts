// What the console makes of what stands in its form, of a pasted command, and of the answer.
import { describe, expect, test } from 'vitest';
import { openapi, site } from '../src/document.ts';
import { answerSchema, faultsOf } from '../src/model/conforms.ts';
import { type ConsoleData, consoleOf } from '../src/model/console.ts';
import { fillFrom, readCurl } from '../src/model/curl.ts';
import { entered, textOf } from '../src/model/form.ts';
import { samplesOf } from '../src/model/samples.ts';

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
  test('holds the values of the example, and gives back the same', () => {
    const params = Object.fromEntries(
      data.fields
        .filter(({ name }) => name in data.call.params)
        .map((field) => [field.name, entered(field, textOf(data.call.params[field.name]), data.schemas).value]),
    );
    expect(params).toEqual(data.call.params);
  });

  test('finds the recorded answers to be as documented', () => {
    const page = site.operations.find(({ id }) => id === data.call.operationId);
    const shown = [
      ...(page?.answer.examples ?? []).map((example) => ({ status: 200, example })),
      ...(page?.refusals ?? []).map(({ status, example }) => ({ status, example })),
    ];
    for (const { status, example } of shown) {
      if (example.made) continue;
      const body: unknown = JSON.parse(example.json);
      const schema = answerSchema(data.answers, data.schemas, status, body);
      expect(schema && faultsOf(body, schema, data.schemas), example.json).toEqual([]);
    }
  });

  test('takes its own curl sample back', () => {
    const { call, fields } = data;
    const [sample] = samplesOf(call, 'http://localhost:8080');
    const pasted = readCurl(sample?.code ?? '');
    const names = fields.map(({ name }) => name);
    const filled = pasted && fillFrom(pasted, call, names);
    expect(filled?.unknown).toEqual([]);
    const back = fields.map((field) => [field, filled?.texts.get(field.name)] as const);
    const values = back.flatMap(([field, text]) =>
      text === undefined ? [] : [[field.name, entered(field, text || '""', data.schemas).value]],
    );
    expect(Object.fromEntries(values)).toEqual(call.params);
  });
});

describe('a field of the console', () => {
  test('that is empty is not sent, and two quotes are a text without characters', () => {
    expect(enter('sendMessage', 'topic', '')).toEqual({});
    expect(enter('sendMessage', 'topic', '""')).toEqual({ value: '' });
    expect(enter('sendMessage', 'content', '').problem).toBe('This one is required.');
  });

  test('takes a number where one may be given, and a name that looks like nothing else as it is', () => {
    expect(enter('sendMessage', 'to', '7')).toEqual({ value: 7 });
    expect(enter('sendMessage', 'to', '[7, 9]')).toEqual({ value: [7, 9] });
    expect(enter('sendMessage', 'to', 'design')).toEqual({ value: 'design' });
    expect(enter('sendMessage', 'content', '7')).toEqual({ value: '7' });
  });

  test('says what is wrong before anything is sent', () => {
    expect(enter('getMessages', 'num_before', 'many').problem).toMatch(/^This must be an integer/);
    expect(enter('getMessages', 'num_before', '-3').problem).toMatch(/minimum|less than/);
    expect(enter('updateMessageFlags', 'messages', '["a"]').problem).toMatch(/^0: /);
    expect(enter('updateMessageFlags', 'messages', '[4, ').problem).toMatch(/^This must be a list of integers/);
  });
});

test('an answer that is not as documented is found out, and one under no listed status as well', () => {
  const { answers, schemas } = consoleFor('sendMessage');
  const schema = answerSchema(answers, schemas, 200, {});
  expect(schema && faultsOf({ result: 'success', msg: '', id: 'x' }, schema, schemas)).not.toEqual([]);
  expect(schema && faultsOf({ result: 'success', msg: '' }, schema, schemas)).not.toEqual([]);
  expect(answerSchema(answers, schemas, 418, {})).toBeUndefined();
  expect(answerSchema(answers, schemas, 400, { code: 'NEVER_HEARD' })).toBeUndefined();
});

describe('a curl command', () => {
  test('may be quoted and cut in every way that shells know', () => {
    const command = String.raw`curl -sSX POST 'https://chat.example.com/api/v1/messages' \
      -u hamlet@example.com:KEY --data-urlencode "content=say \"hi\"" -d 'type=stream&to=a%20b' --data-urlencode $'topic=it\'s'`;
    expect(readCurl(command.replace('-sSX POST', '-sS -XPOST'))).toEqual({
      method: 'POST',
      path: '/messages',
      fields: [
        ['content', 'say "hi"'],
        ['type', 'stream'],
        ['to', 'a b'],
        ['topic', "it's"],
      ],
      login: { email: 'hamlet@example.com', apiKey: 'KEY' },
    });
  });

  test('for another operation is not taken, and what is no command neither', () => {
    const pasted = readCurl('curl http://localhost:8080/api/v1/users/me');
    expect(pasted && fillFrom(pasted, consoleFor('sendMessage').call, [])).toBeUndefined();
    expect(readCurl('wget http://localhost:8080')).toBeUndefined();
    expect(readCurl('a message')).toBeUndefined();
  });

  test('that begins as one and ends nowhere does no harm', () => {
    expect(readCurl("curl 'http://x")).toBeDefined();
    expect(readCurl('curl')).toBeUndefined();
    const pasted = readCurl('curl http://localhost/api/v1/messages/%E0%A4%A');
    expect(pasted && fillFrom(pasted, consoleFor('getMessage').call, ['message_id'])).toBeUndefined();
  });
});
