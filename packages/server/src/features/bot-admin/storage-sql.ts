import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { User } from '../../core/context.ts';

type Bot = Pick<User, 'realm_id' | 'id'>;

export interface StoredValue {
  readonly key: string;
  readonly value: string;
  /** The size of a key and its value in a response. */
  readonly bytes: number;
}

/** Null: all keys. */
export type KeySelection = readonly string[] | null;

const selection = ({ realm_id, id }: Bot, keys: KeySelection): SQL =>
  sql`realm_id = ${realm_id} and user_id = ${id}
      and (${keys === null}::boolean or key = any(${sql.param([...(keys ?? [])])}::text[]))`;

/** Those of these keys for which a bot has values, and the size of all the values. */
export async function findStorageSizes(
  db: Db,
  bot: Bot,
  keys: KeySelection,
): Promise<{ readonly keys: readonly string[]; readonly bytes: number }> {
  const [found] = await rows<{ keys: string[]; bytes: number }>(
    db,
    sql`select to_json(coalesce(array_agg(key), '{}')) as keys, coalesce(sum(bytes), 0)::bigint as bytes
        from bot_storage where ${selection(bot, keys)}`,
  );
  return found ?? { keys: [], bytes: 0 };
}

export const listStorage = (db: Db, bot: Bot, keys: KeySelection): Promise<Omit<StoredValue, 'bytes'>[]> =>
  rows(db, sql`select key, value from bot_storage where ${selection(bot, keys)} order by key collate "C"`);

/**
 * Inserts values or replaces those of the same keys, in the order of the keys, so that two requests cannot deadlock.
 */
export async function upsertStorage(db: Db, { realm_id, id }: Bot, values: readonly StoredValue[]): Promise<void> {
  await rows(
    db,
    sql`insert into bot_storage (realm_id, user_id, key, value, bytes)
        select ${realm_id}::bigint, ${id}::bigint, n.key, n.value, n.bytes
        from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as n(key text, value text, bytes int)
        order by n.key collate "C"
        on conflict (realm_id, user_id, key) do update set value = excluded.value, bytes = excluded.bytes`,
  );
}

/** Deletes values, and returns the keys that had one. */
export async function deleteStorage(db: Db, bot: Bot, keys: KeySelection): Promise<string[]> {
  const deleted = await rows<{ key: string }>(
    db,
    sql`delete from bot_storage where ${selection(bot, keys)} returning key`,
  );
  return deleted.map(({ key }) => key);
}
