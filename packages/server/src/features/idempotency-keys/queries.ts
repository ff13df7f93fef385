import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { User } from '../../core/context.ts';
import { abortAndRetry } from '../../core/transaction.ts';

type Owner = Pick<User, 'realm_id' | 'id'>;

export interface KeyClaim {
  readonly key: string;
  readonly fingerprint: string;
  readonly now: Date;
}

/** An earlier request with the same key. */
export interface StoredResponse {
  readonly fingerprint: string;
  readonly answer: string | null;
}

const HOUR = 60 * 60 * 1000;
/** How long a response is stored. */
const LIFETIME = 24 * HOUR;
/** Longer than any request takes: the process of a request that has no response by then has died. */
const LONGEST = HOUR / 12;

const before = (now: Date, age: number) => sql`${new Date(now.getTime() - age).toISOString()}::timestamptz`;

/**
 * Claims a key for this request. While another transaction holds the key, this waits for its end. If there was an
 * earlier request, returns that instead.
 */
export async function claimKey(
  db: Db,
  { realm_id, id }: Owner,
  { key, fingerprint, now }: KeyClaim,
): Promise<StoredResponse | undefined> {
  const claimed = await rows(
    db,
    sql`insert into idempotency_keys as k (realm_id, user_id, key, fingerprint, begun_at)
        values (${realm_id}, ${id}, ${key}, ${fingerprint}, ${now.toISOString()}::timestamptz)
        on conflict (realm_id, user_id, key) do update
          set fingerprint = excluded.fingerprint, begun_at = excluded.begun_at, answer = null
          where k.begun_at < ${before(now, LIFETIME)} or (k.answer is null and k.begun_at < ${before(now, LONGEST)})
        returning key`,
  );
  if (claimed.length > 0) return undefined;
  const [earlier] = await rows<StoredResponse>(
    db,
    sql`select fingerprint, answer from idempotency_keys where realm_id = ${realm_id} and user_id = ${id} and key = ${key}`,
  );
  return earlier ?? abortAndRetry('Another request released the key meanwhile.');
}

export async function updateResponse(db: Db, { realm_id, id }: Owner, key: string, response: string): Promise<void> {
  await rows(
    db,
    sql`update idempotency_keys set answer = ${response} where realm_id = ${realm_id} and user_id = ${id} and key = ${key}`,
  );
}

/** Stores a response under a key that has none yet. */
export async function insertResponse(
  db: Db,
  { realm_id, id }: Owner,
  { key, fingerprint, now }: KeyClaim,
  response: string,
): Promise<void> {
  await rows(
    db,
    sql`insert into idempotency_keys (realm_id, user_id, key, fingerprint, begun_at, answer)
        values (${realm_id}, ${id}, ${key}, ${fingerprint}, ${now.toISOString()}::timestamptz, ${response})
        on conflict (realm_id, user_id, key) do nothing`,
  );
}

/** The number of stored keys of an account, and the bytes of their responses. */
export async function countKeys(db: Db, { realm_id, id }: Owner, now: Date): Promise<{ keys: number; bytes: number }> {
  const [counted] = await rows<{ keys: number; bytes: number }>(
    db,
    sql`select count(*)::float8 as keys, coalesce(sum(octet_length(answer)), 0)::float8 as bytes from idempotency_keys
        where realm_id = ${realm_id} and user_id = ${id} and begun_at >= ${before(now, LIFETIME)}`,
  );
  return counted ?? { keys: 0, bytes: 0 };
}

/** Releases a key whose request failed because of the server: the client can send it again. */
export async function deleteKey(db: Db, { realm_id, id }: Owner, key: string): Promise<void> {
  await rows(db, sql`delete from idempotency_keys where realm_id = ${realm_id} and user_id = ${id} and key = ${key}`);
}

/** Deletes responses after their time. */
export async function deleteExpiredKeys(db: Db, now: Date): Promise<void> {
  await rows(db, sql`delete from idempotency_keys where begun_at < ${before(now, LIFETIME)}`);
}
