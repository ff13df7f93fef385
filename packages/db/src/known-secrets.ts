import { asc, inArray, ne, sql } from 'drizzle-orm';
import type { Db } from './connect.ts';
import { known_secrets } from './schema/index.ts';

// The number of Parley's advisory lock for the known secrets.
const LOCK = 7_205_761;

export type KnownSecret = typeof known_secrets.$inferSelect;

/** The secrets that the database knows, oldest first. */
export function listKnownSecrets(db: Db): Promise<KnownSecret[]> {
  return db.select().from(known_secrets).orderBy(asc(known_secrets.known_since), asc(known_secrets.fingerprint));
}

/** Serializes processes that change which secrets the database knows. */
export function withKnownSecretsLocked<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
    return work(tx);
  });
}

export async function insertKnownSecret(db: Db, fingerprint: string, known_since: Date): Promise<void> {
  await db.insert(known_secrets).values({ fingerprint, known_since });
}

export async function deleteKnownSecrets(db: Db, fingerprints: readonly string[]): Promise<void> {
  await db.delete(known_secrets).where(inArray(known_secrets.fingerprint, [...fingerprints]));
}

/** Records the use of a value made with another secret than this one. */
export async function updatePreviousSecretUse(db: Db, current: string, used_at: Date): Promise<void> {
  await db.update(known_secrets).set({ used_at }).where(ne(known_secrets.fingerprint, current));
}
