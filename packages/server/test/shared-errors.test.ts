// The errors of every operation: each operation is called, and none checks its parameters first.
import { operations as table } from '@parley/openapi';
import { afterEach, expect, test } from 'vitest';
import { type Chat, startChat } from './chat.ts';
import { operations } from './examples.ts';
import { failReads, TOO_MANY_CONNECTIONS } from './fail-reads.ts';
import { unlimited } from './unlimited.ts';

type Operation = (typeof operations)[number];

let chat: Chat;
afterEach(() => chat.close());

/** The operations that document this error. */
const listFailingWith = (code: string, which: (operation: Operation) => boolean = () => true): Operation[] =>
  operations.filter((operation) => which(operation) && operation.responses.some(({ codes }) => codes.includes(code)));

const factsOf = ({ id }: Operation) => table[id as keyof typeof table];
const isPrivate = (operation: Operation) => factsOf(operation).auth === 'user';
const needsRealm = (operation: Operation) => factsOf(operation).realm !== 'optional';
const hasNumber = (operation: Operation) =>
  Object.values<{ in: string; kinds: readonly string[] }>(factsOf(operation).params).some(
    (one) => one.in === 'path' && !one.kinds.includes('string'),
  );

interface Asking {
  host?: string;
  key?: string | undefined;
  token?: string;
  /** The value of each id in the path. */
  id?: string;
}

/** Calls each of them and asserts that they fail with this error. */
async function expectAllToFail(
  code: string,
  status: number,
  selected: Operation[],
  asking: Asking = {},
): Promise<void> {
  expect(selected.length).toBeGreaterThan(20);
  const { host = chat.realm.host, key = chat.owner.apiKey, id = '1' } = asking;
  const credentials = Buffer.from(`${chat.owner.email}:${key}`).toString('base64');
  const Authorization = asking.token === undefined ? `Basic ${credentials}` : `Bearer ${asking.token}`;
  const headers: HeadersInit = 'key' in asking && !key ? {} : { Authorization };
  const answers: Record<string, unknown> = {};
  for (const operation of selected) {
    const path = operation.path.replaceAll(/\{\w+\}/g, id);
    const init = { method: operation.method.toUpperCase(), headers };
    const answer = await chat.fetch(`/api/v1${path}`, init, { ...chat.realm, host });
    answers[operation.id] = [answer.status, ((await answer.json()) as { code?: string }).code];
  }
  expect(answers).toEqual(Object.fromEntries(selected.map(({ id }) => [id, [status, code]])));
}

test('UNAUTHORIZED for requests without credentials', async () => {
  chat = await startChat({ ownDatabase: true });
  await expectAllToFail('UNAUTHORIZED', 401, listFailingWith('UNAUTHORIZED', isPrivate), { key: '' });
});

test('INVALID_API_KEY for a wrong key', async () => {
  chat = await startChat({ ownDatabase: true });
  const key = chat.owner.apiKey.split('').reverse().join('');
  await expectAllToFail('INVALID_API_KEY', 401, listFailingWith('INVALID_API_KEY', isPrivate), { key });
});

test('INVALID_TOKEN for an invalid token', async () => {
  chat = await startChat({ ownDatabase: true });
  await expectAllToFail('INVALID_TOKEN', 401, listFailingWith('INVALID_TOKEN', isPrivate), { token: 'parley_unknown' });
});

test('USER_DEACTIVATED for a deactivated user', async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.database.db.execute(`update users set is_active = false where id = ${chat.owner.id}`);
  await expectAllToFail('USER_DEACTIVATED', 401, listFailingWith('USER_DEACTIVATED', isPrivate));
});

test('REALM_DEACTIVATED for all requests to a deactivated organization', async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.database.db.execute('update realms set deactivated_at = now()');
  await expectAllToFail('REALM_DEACTIVATED', 401, listFailingWith('REALM_DEACTIVATED', needsRealm));
});

test('NONEXISTENT_SUBDOMAIN for all requests to a host without an organization', async () => {
  chat = await startChat({ ownDatabase: true });
  await expectAllToFail('NONEXISTENT_SUBDOMAIN', 404, listFailingWith('NONEXISTENT_SUBDOMAIN'), {
    host: 'nowhere.localhost',
  });
});

test('NOT_FOUND for an id in the path that is no number, and for no other operation', async () => {
  chat = await startChat({ ownDatabase: true });
  expect(listFailingWith('NOT_FOUND')).toEqual(operations.filter(hasNumber));
  await expectAllToFail('NOT_FOUND', 404, listFailingWith('NOT_FOUND'), { id: 'abc' });
});

test('RATE_LIMIT_HIT for a caller over the rate limit', async () => {
  const spent = async () => ({ limit: 200, remaining: 0, reset: 0, wait: 11.4 });
  chat = await startChat({ ownDatabase: true, requestLimits: { ...unlimited, account: spent, address: spent } });
  await expectAllToFail('RATE_LIMIT_HIT', 429, listFailingWith('RATE_LIMIT_HIT'));
});

test('SERVICE_UNAVAILABLE for all requests while the database has no connection for the server', async () => {
  chat = await startChat({ ownDatabase: true });
  await failReads(chat.database.db, 'realms', TOO_MANY_CONNECTIONS);
  await expectAllToFail('SERVICE_UNAVAILABLE', 503, listFailingWith('SERVICE_UNAVAILABLE'));
});

test('INTERNAL_SERVER_ERROR for all requests while the database is broken', async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.database.db.execute('alter table users rename to gone');
  await expectAllToFail('INTERNAL_SERVER_ERROR', 500, listFailingWith('INTERNAL_SERVER_ERROR'));
});
