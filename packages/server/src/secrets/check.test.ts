import { listKnownSecrets } from '@parley/db';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database.ts';
import { createLog } from '../core/log.ts';
import { acceptSecret, registerSecrets } from './check.ts';
import { SecretGuard } from './guard.ts';

const [FIRST, SECOND, THIRD] = ['the first', 'the second', 'the third'].map(
  (text) => `${text} secret of this test`,
) as [string, string, string];
const NOW = new Date('2026-01-05T09:00:00Z');

let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.close());

const isAdmitted = async (current: string, previous?: string) =>
  (await registerSecrets(database.db, { current, previous }, NOW)) !== undefined;
const countKnown = async () => (await listKnownSecrets(database.db)).length;

test('the first secret is accepted, and no other one after it', async () => {
  expect(await isAdmitted(FIRST)).toBe(true);
  expect(await isAdmitted(FIRST)).toBe(true);
  expect(await isAdmitted(SECOND)).toBe(false);
  expect(await isAdmitted(SECOND, THIRD)).toBe(false);
  expect(await countKnown()).toBe(1);
});

test('of processes that start concurrently with different secrets, those with one of the secrets are accepted', async () => {
  const admitted = await Promise.all([FIRST, SECOND, FIRST, SECOND, FIRST, SECOND].map((one) => isAdmitted(one)));
  expect(await countKnown()).toBe(1);
  expect(admitted.filter(Boolean)).toHaveLength(3);
  expect(new Set(admitted.map((is, n) => is === (n % 2 === 0))).size).toBe(1);
});

test('a new secret is accepted together with the one before it, and meanwhile processes with either start', async () => {
  await isAdmitted(FIRST);
  expect(await isAdmitted(SECOND, FIRST)).toBe(true);
  expect(await isAdmitted(FIRST, SECOND)).toBe(true);
  expect(await isAdmitted(SECOND, FIRST)).toBe(true);
  expect(await countKnown()).toBe(2);
});

test('the previous secret ends when a process starts with the new one alone', async () => {
  await isAdmitted(FIRST);
  await isAdmitted(SECOND, FIRST);
  expect(await isAdmitted(SECOND)).toBe(true);
  expect(await isAdmitted(FIRST)).toBe(false);
});

test('of three successive secrets, the database knows the last two', async () => {
  await isAdmitted(FIRST);
  await isAdmitted(SECOND, FIRST);
  expect(await isAdmitted(THIRD, SECOND)).toBe(true);
  expect(await isAdmitted(FIRST)).toBe(false);
  expect(await countKnown()).toBe(2);
});

test('an operator who has lost the secret can have another one accepted', async () => {
  await isAdmitted(FIRST);
  await acceptSecret(database.db, SECOND, NOW);
  expect(await isAdmitted(FIRST)).toBe(false);
  expect(await isAdmitted(SECOND)).toBe(true);
  await acceptSecret(database.db, SECOND, NOW);
  expect(await countKnown()).toBe(1);
});

test('the database stores no secret, and another value each time', async () => {
  await isAdmitted(FIRST);
  const [known] = await listKnownSecrets(database.db);
  expect(known?.fingerprint).not.toContain(FIRST);
  await acceptSecret(database.db, SECOND, NOW);
  await acceptSecret(database.db, FIRST, NOW);
  expect((await listKnownSecrets(database.db))[0]?.fingerprint).not.toBe(known?.fingerprint);
});

test('the use of the previous secret is recorded once in ten minutes', async () => {
  await isAdmitted(FIRST);
  let now = NOW;
  const guard = new SecretGuard(database.db, { current: SECOND, previous: FIRST }, () => now, createLog('silent'));
  expect(await guard.findProblem()).toBeUndefined();
  const usedAt = async () => (await listKnownSecrets(database.db)).map(({ used_at }) => used_at?.toISOString());
  const recorded = async (minutes: number) => {
    now = new Date(NOW.getTime() + minutes * 60_000);
    guard.recordPrevious();
  };
  const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000).toISOString();
  expect(await usedAt()).toEqual([undefined, undefined]);
  await recorded(1);
  await vi.waitFor(async () => expect((await usedAt()).sort()).toEqual([at(1), undefined]), 30_000);
  await recorded(2);
  await recorded(12);
  await vi.waitFor(async () => expect((await usedAt()).sort()).toEqual([at(12), undefined]), 30_000);
});
