// Invalid input never causes a 5xx, and every response is documented for the operation. Responses that do not match the
// document fail as 500 here, so a status below 500 also shows that the shape was right.

import { operations as table } from '@parley/openapi';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from './chat.ts';
import { operations } from './examples.ts';

/** The number of requests to an operation. */
const RUNS = process.env.PARLEY_TEST_LONG === undefined ? 60 : 200;

let chat: Chat;
let users: TestUser[];
beforeAll(async () => {
  chat = await startChat();
  const owner = await chat.user('olga', { role: 'owner', mirrored: false });
  const member = await chat.user('mia', { mirrored: false });
  const guest = await chat.user('gus', { role: 'guest', mirrored: false });
  users = [owner, member, guest, await chat.user('bo', { bot_of: member, mirrored: false })];
  await chat.stream('kitchen', { by: member, members: [owner, guest] });
  await chat.message({ from: member, to: 'kitchen' });
});
afterAll(() => chat.close());

interface Parameter {
  in: string;
  kinds: readonly string[];
}

const nasty = fc.constantFrom(
  '',
  ' ',
  '0',
  '-1',
  '1.5',
  '1e3',
  'null',
  'true',
  'True',
  '[]',
  '{}',
  '[[]]',
  '[1,"a",null]',
  '{"a":1}',
  '"x"',
  '9007199254740993',
  '99999999999999999999',
  '-99999999999999999999',
  '%00',
  '\u0000',
  '\ud83d',
  '𝒳'.repeat(200),
  'a'.repeat(20_000),
  "'; drop table users; --",
  '@**all**',
  '../../etc/passwd',
  '<script>',
  '[["is","starred"]]',
  '[["near","x"]]',
  '[{"operator":"dm","operand":[1,"x"]}]',
  '[["id",1e300]]',
  '[["search","\'& | ! ("]]',
  'newest',
  'kitchen',
  'add',
  'read',
  'stream',
  '[{"name":"kitchen"}]',
  '[{"name":"\\u0000"}]',
  '2147483648',
  '[2147483648]',
);

function valueFor({ kinds }: Parameter): fc.Arbitrary<string> {
  const fitting = fc.oneof(
    ...kinds.map((kind): fc.Arbitrary<string> => {
      if (kind === 'integer') return fc.oneof(fc.integer({ min: 0, max: 12 }), fc.maxSafeInteger()).map(String);
      if (kind === 'boolean') return fc.boolean().map(String);
      if (kind === 'string')
        return fc.oneof(
          fc.string({ unit: 'binary', maxLength: 80 }),
          fc.constantFrom('kitchen', 'soup', 'add', 'read'),
        );
      if (kind === 'array')
        return fc
          .array(
            fc.oneof(
              fc.integer(),
              fc.string(),
              fc.json().map((text) => JSON.parse(text) as unknown),
            ),
          )
          .map((list) => JSON.stringify(list));
      return fc.json();
    }),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fitting },
    { weight: 2, arbitrary: nasty },
    { weight: 1, arbitrary: fc.json() },
  );
}

type Call = { path: string; form: [string, string][] };

function calls(path: string, params: Record<string, Parameter>): fc.Arbitrary<Call> {
  const entries = Object.entries(params);
  return fc
    .tuple(
      ...entries.map(([name, parameter]) =>
        fc.tuple(fc.constant(name), fc.constant(parameter), fc.option(valueFor(parameter), { freq: 4 })),
      ),
    )
    .map((values) => {
      const url = values.reduce(
        (at, [name, parameter, value]) =>
          parameter.in === 'path' ? at.replace(`{${name}}`, encodeURIComponent(wellFormed(value ?? '1')) || '1') : at,
        path,
      );
      const form = values.flatMap(([name, parameter, value]): [string, string][] =>
        parameter.in === 'path' || value === null ? [] : [[name, wellFormed(value)]],
      );
      return { path: url, form };
    });
}

const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '?');

describe.each(operations.filter(({ id }) => id !== 'getEvents' && id !== 'fetchApiKey'))(
  '$id',
  ({ id, method, path, responses }) => {
    const documented = responses.flatMap(({ codes }) => codes);

    // shows: 1.6, 1.10, 7.1
    test('responds to any parameters with success or a documented code', async () => {
      const { params } = table[id as keyof typeof table];
      await fc.assert(
        fc.asyncProperty(
          calls(path, params as Record<string, Parameter>),
          fc.integer({ min: 0, max: 3 }),
          fc.constantFrom('form', 'json'),
          async (call, who, how) => {
            const person = users[who];
            if (!person) return;
            const answer = await send(person, method.toUpperCase(), call, how);
            expect(answer.status, JSON.stringify({ call, answer: answer.body })).toBeLessThan(500);
            if (answer.body.result === 'success') expect(answer.status).toBe(200);
            else
              expect([...documented, 'METHOD_NOT_ALLOWED'], JSON.stringify({ call, answer: answer.body })).toContain(
                answer.body.code,
              );
          },
        ),
        { numRuns: RUNS },
      );
    });
  },
);

async function send(
  person: TestUser,
  method: string,
  { path, form }: Call,
  how: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const text = new URLSearchParams(form).toString();
  const init =
    method === 'GET'
      ? {}
      : how === 'form'
        ? { body: text, type: 'application/x-www-form-urlencoded' }
        : {
            body: JSON.stringify(Object.fromEntries(form.map(([name, value]) => [name, asJson(value)]))),
            type: 'application/json',
          };
  const response = await chat.fetch(`/api/v1${path}${method === 'GET' ? `?${text}` : ''}`, {
    method,
    ...(init.body !== undefined && { body: init.body }),
    headers: {
      Authorization: `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}`,
      ...(init.type && { 'Content-Type': init.type }),
    },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
