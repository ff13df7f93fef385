// The document is true: every operation has a handler, a description and examples that tests carry out.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { routes } from '@parley/client';
import { operations as table } from '@parley/openapi';
import { requiresCredentials } from '@parley/openapi/document';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '../src/core/version.ts';
import { handlers } from '../src/handlers.ts';
import { type ChangingDemo, startChangingDemo } from './changing-demo.ts';
import { type Demo, startDemo } from './demo.ts';
import { document, operations, type RecordedExample, sharedExamples } from './examples.ts';
import { CANNOT_CONNECT_NOW, failReads } from './fail-reads.ts';
import { carriedOut, filledIn, used, withoutChance } from './recipes.ts';
import { recordExamples } from './record-examples.ts';
import { unlimited } from './unlimited.ts';

test('every operation has a handler, and every handler an operation', () => {
  expect(Object.keys(handlers).sort()).toEqual(Object.keys(table).sort());
  expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(table).sort());
});

test('no two features handle the same operation', async () => {
  const folder = new URL('../src/features/', import.meta.url);
  const files = readdirSync(folder).map((feature) => new URL(`${feature}/handlers.ts`, folder));
  const modules: Record<string, object>[] = await Promise.all(
    files.filter(existsSync).map((file) => import(file.pathname)),
  );
  const names = modules.flatMap((module) => Object.values(module).flatMap((part) => Object.keys(part)));
  expect(names.sort()).toEqual(Object.keys(handlers).sort());
});

// shows: 4.21.5
test('the version is the one of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(version);
});

/** The demo organization of the operations whose examples change nothing. */
let unchanged: Demo;
/** That of the others, which is new for each. */
let changing: ChangingDemo;
beforeAll(async () => {
  unchanged = await startDemo();
  changing = await startChangingDemo();
});
afterAll(async () => {
  await unchanged.close();
  await changing.close();
});

describe.each(operations)('$id', ({ operation, parameters, examples, codes, id }) => {
  // shows: 4.19.1
  test('is described, with its parameters', () => {
    expect(operation.summary).toMatch(/\w/);
    expect(operation.description).toMatch(/\.$/);
    for (const parameter of parameters) expect(parameter.description, `${id}: ${parameter.name}`).toMatch(/\w/);
  });

  test('has errors about the Idempotency-Key if it takes one', () => {
    if (table[id as keyof typeof table].takes_key) expect(codes).toContain('BAD_REQUEST');
  });

  // shows: 1.10, 7.1
  test('has an example of success and one of each of its codes', () => {
    const names = examples.map(({ name }) => name);
    expect(
      names.some((name) => name !== name.toUpperCase()),
      `${id}: success`,
    ).toBe(true);
    for (const code of codes) expect(names, id).toContain(code);
  });

  // shows: 1.1, 1.6, 1.7, 1.11, 7.1
  test('has examples that are as the server responds', async () => {
    const shared = examples.every(changesNothing);
    const demo = shared ? unchanged : await changing.restart();
    try {
      for (const example of examples) await happens(demo, example);
    } finally {
      if (!shared) await demo.close();
    }
  });
});

/** Reads change nothing, and neither does a request that fails. */
function changesNothing({ operation, status, recipes }: RecordedExample): boolean {
  const reads = (step: { as?: string; operation?: string }) =>
    step.as !== 'operator' && routes[step.operation as keyof typeof routes]?.method === 'GET';
  return (status >= 400 || reads({ operation })) && recipes.every(reads);
}

async function happens(
  demo: Demo,
  { operation, name, status, request, recipes, value }: RecordedExample,
): Promise<void> {
  const earlier = await carriedOut(demo, recipes);
  const answer = await demo.call({ ...filledIn(request, earlier), operation });
  const answers = recipes.map((_, n) => used(earlier[n] ?? {}, n, [...recipes, request]));
  if (recordExamples(operation, name, answer.body, answers)) return;
  expect(recipes.map((step) => withoutChance(step.answers ?? {}))).toEqual(answers.map(withoutChance));
  expect(withoutChance(answer.body), `${operation}.${name}`).toEqual(withoutChance(value));
  expect(answer.status).toBe(status);
  if (name === name.toUpperCase()) expect(answer.body.code).toBe(name);
}

describe('the errors of every operation are as their examples', () => {
  const value = (code: string) => sharedExamples[code]?.value;
  const callShared = (demo: Demo, code: string, host?: string) =>
    demo.call(sharedExamples[code]?.['x-request'] ?? {}, host);

  test('UNAUTHORIZED, INVALID_API_KEY, NOT_FOUND, NONEXISTENT_SUBDOMAIN, unknown operations, USER_DEACTIVATED, REALM_DEACTIVATED', async () => {
    const demo = await changing.restart();
    const hamlet = demo.demoUsers.find(({ name }) => name === 'Hamlet');
    if (!hamlet) throw new Error('Hamlet is missing');
    try {
      expect((await callShared(demo, 'UNAUTHORIZED')).body).toEqual(value('UNAUTHORIZED'));
      expect((await callShared(demo, 'NONEXISTENT_SUBDOMAIN', 'nowhere.localhost')).body).toEqual(
        value('NONEXISTENT_SUBDOMAIN'),
      );
      expect((await callShared(demo, 'NOT_FOUND')).body).toEqual(value('NOT_FOUND'));
      expect(await callShared(demo, 'BAD_REQUEST')).toEqual({ status: 404, body: value('BAD_REQUEST') });
      const key = hamlet.api_key;
      hamlet.api_key = key.split('').reverse().join('');
      expect((await callShared(demo, 'INVALID_API_KEY')).body).toEqual(value('INVALID_API_KEY'));
      hamlet.api_key = key;
      await demo.database.db.execute(`update users set is_active = false where id = ${hamlet.user_id}`);
      expect((await callShared(demo, 'USER_DEACTIVATED')).body).toEqual(value('USER_DEACTIVATED'));
      await demo.database.db.execute('update realms set deactivated_at = now()');
      expect((await callShared(demo, 'REALM_DEACTIVATED')).body).toEqual(value('REALM_DEACTIVATED'));
    } finally {
      await demo.close();
    }
  });

  test.each(['INVALID_TOKEN', 'INSUFFICIENT_SCOPE'])('%s', async (code) => {
    const demo = await changing.restart();
    try {
      const { 'x-request': request = {}, 'x-given': recipes = [] } = sharedExamples[code] ?? {};
      const { body } = await demo.call(filledIn(request, await carriedOut(demo, recipes)));
      expect(body).toEqual(value(code));
    } finally {
      await demo.close();
    }
  });

  test('RATE_LIMIT_HIT', async () => {
    const spent = async () => ({ limit: 200, remaining: 0, reset: 0, wait: 11.4 });
    const demo = await startDemo({ requestLimits: { ...unlimited, account: spent } });
    try {
      expect(await callShared(demo, 'RATE_LIMIT_HIT')).toEqual({ status: 429, body: value('RATE_LIMIT_HIT') });
    } finally {
      await demo.close();
    }
  });

  test('SERVICE_UNAVAILABLE, with the seconds to wait', async () => {
    const demo = await startDemo();
    try {
      await failReads(demo.database.db, 'user_groups', CANNOT_CONNECT_NOW);
      expect(await callShared(demo, 'SERVICE_UNAVAILABLE')).toEqual({
        status: 503,
        body: value('SERVICE_UNAVAILABLE'),
      });
    } finally {
      await demo.close();
    }
  });

  test('INTERNAL_SERVER_ERROR, without internals', async () => {
    const demo = await startDemo();
    try {
      await demo.database.db.execute('alter table user_groups rename to gone');
      expect(await callShared(demo, 'INTERNAL_SERVER_ERROR')).toEqual({
        status: 500,
        body: value('INTERNAL_SERVER_ERROR'),
      });
    } finally {
      await demo.close();
    }
  });
});

test('every response documents the errors of every operation', () => {
  for (const { operation, id } of operations) {
    const statuses = Object.keys(operation.responses);
    expect(statuses, id).toEqual(expect.arrayContaining(['200', '404', '429', '500', '503']));
    if (requiresCredentials(document, operation)) expect(statuses, id).toEqual(expect.arrayContaining(['401', '403']));
  }
});
