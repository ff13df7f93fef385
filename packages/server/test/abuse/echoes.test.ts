// Error responses repeat at most a hundred characters of a request.
import { operations } from '@parley/openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../src/core/contract.ts';
import { toErrorContent } from '../../src/core/errors.ts';
import { updateCanCreateUsers } from '../../src/features/user-admin/index.ts';
import { type Chat, startChat } from '../chat.ts';
import { loginOf } from '../files.ts';
import { FORM, send } from './raw-request.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.act((ctx) => updateCanCreateUsers(ctx, chat.owner.id, true));
});
afterAll(() => chat.close());

/** The most bytes that an error response may have, without its headers. */
const MOST = 4096;
const MEGABYTE = 1_000_000;
/** Longer than the part that is repeated. */
const REPEATED = /z{101}/;

interface Parameter {
  readonly in: string;
  readonly kinds: readonly string[];
  readonly required: boolean;
}

/** A value of the kind, with a text of `length` characters in it. */
function valuesOf(kinds: readonly string[], length: number): string[] {
  const text = 'z'.repeat(Math.max(length, 0));
  if (kinds.includes('string')) return [text];
  return [
    `["${text}"]`,
    `[["${text}","x"]]`,
    `[{"operator":"${text}","operand":"${text.slice(length / 2)}"}]`,
    `{"${text}":1}`,
  ];
}

/** Valid values of the other required parameters, so that the one with the text is checked. */
const plain = ({ kinds }: Parameter) => (kinds.includes('integer') ? '1' : kinds.includes('string') ? 'x' : '[]');

const targets = (Object.keys(operations) as OperationId[]).flatMap((id) => {
  const params = operations[id].params as Record<string, Parameter & { max_bytes?: number }>;
  return Object.entries(params)
    .filter(
      ([, { kinds, max_bytes }]) => max_bytes === undefined && kinds.some((kind) => /string|array|object/.test(kind)),
    )
    .map(([name]) => [id, name] as const);
});

test.each(targets)('%s repeats at most a hundred characters of %s', async (id, name) => {
  const { path, method, auth, budget, params } = operations[id];
  const known = params as Readonly<Record<string, Parameter>>;
  const target = known[name] as Parameter;
  const room = target.in === 'body' ? Math.min(MEGABYTE, (budget.body - 500) / 2) : 20_000;
  for (const value of valuesOf(target.kinds, Math.floor(room))) {
    const others = Object.entries(known).filter(([other, { required }]) => required && other !== name);
    const sent = new Map([...others.map(([other, one]) => [other, plain(one)] as const), [name, value]]);
    const address = path.replaceAll(/{(\w+)}/g, (_, part: string) => sent.get(part) ?? '1');
    const rest = [...sent].filter(([one]) => known[one]?.in !== 'path');
    const form = new URLSearchParams(rest).toString();
    const isGet = method === 'get';
    const response = await send(chat, isGet && form ? `${address}?${form}` : address, {
      method: method.toUpperCase(),
      headers: { ...(auth === 'user' && loginOf(chat.owner)), ...(!isGet && { 'Content-Type': FORM }) },
      body: isGet ? '' : form,
    });
    if (response.status === 200) continue;
    expect(response.status).toBeLessThan(500);
    expect(response.text.length, response.text.slice(0, 300)).toBeLessThan(MOST);
    expect(response.text).not.toMatch(REPEATED);
  }
});

test('an error response repeats the beginning of a text, also quoted as JSON', () => {
  const sent = { name: `${'soup" '.repeat(40)}`, list: [['x'.repeat(101)]], nested: { ['k'.repeat(101)]: 1 } };
  const said = (message: string, extras: object = {}) => toErrorContent({ message, extras }, sent);
  expect(said(`There is no ${JSON.stringify(sent.name)} here, cook.`).message).toMatch(/^.{90,130} here, cook\.$/);
  const { message, extras } = said(`No ${sent.list[0]?.[0]} at ${'k'.repeat(101)}.`, {
    desc: 'x'.repeat(101),
    bad_value: [['x'.repeat(101)]],
    errors: { x: ['x'.repeat(101)] },
  });
  expect(message).toBe(`No ${'x'.repeat(99)}… at ${'k'.repeat(99)}….`);
  expect(extras).toEqual({
    desc: `${'x'.repeat(99)}…`,
    bad_value: `[["${'x'.repeat(96)}…`,
    errors: { x: [`${'x'.repeat(99)}…`] },
  });
});

test('the length of an error message is bounded, whatever its parts', () => {
  expect(toErrorContent({ message: 'y'.repeat(10_000), extras: {} }, {}).message).toHaveLength(1000);
});
