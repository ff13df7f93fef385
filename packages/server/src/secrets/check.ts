import {
  type Db,
  deleteKnownSecrets,
  insertKnownSecret,
  type KnownSecret,
  listKnownSecrets,
  withKnownSecretsLocked,
} from '@parley/db';
import type { Secrets } from '../core/secrets.ts';
import { fingerprintOf, isFingerprintOf } from './fingerprint.ts';

/** The error for a secret that the database does not know, and what the operator can do. */
export const UNKNOWN_SECRET =
  'The secret is not one that this database was used with, so every API key would be invalid. Set PARLEY_SECRET (with the ' +
  'embedded database: the file "secret" in PARLEY_DATA_DIR) to the secret it was used with; to replace that, set it as ' +
  'PARLEY_SECRET_PREVIOUS beside the new one. If it is lost, run parley secret accept, which ends all API keys.';

/** Which of the known secrets are those of the configuration. */
export async function findConfigured(
  known: readonly KnownSecret[],
  { current, previous }: Secrets,
): Promise<{ current: KnownSecret | undefined; previous: KnownSecret | undefined }> {
  return {
    current: await findKnown(known, current),
    previous: previous === undefined ? undefined : await findKnown(known, previous),
  };
}

/**
 * Reads the known secrets and begins to compare them, which takes no time of the event loop. It does not wait for the
 * result, which a check of the secrets will need. What fails here fails in the check.
 */
export async function recognizeSecrets(db: Db, secrets: Secrets): Promise<void> {
  const known = await listKnownSecrets(db).catch(() => []);
  findConfigured(known, secrets).catch(() => {});
}

async function findKnown(known: readonly KnownSecret[], secret: string): Promise<KnownSecret | undefined> {
  for (const one of known) if (await isFingerprintOf(secret, one.fingerprint)) return one;
  return undefined;
}

/**
 * The stored fingerprint of the present secret; undefined if the database knows other secrets only. The first secret is
 * stored as it is. A new one is stored if a known one is configured as the previous secret. A process without a
 * previous secret ends the validity of the others.
 */
export async function registerSecrets(db: Db, secrets: Secrets, now: Date): Promise<string | undefined> {
  const known = await listKnownSecrets(db);
  const { current } = await findConfigured(known, secrets);
  if (current && (known.length === 1 || secrets.previous !== undefined)) return current.fingerprint;
  return withKnownSecretsLocked(db, (tx) => replaceSecrets(tx, secrets, now));
}

async function replaceSecrets(tx: Db, secrets: Secrets, now: Date): Promise<string | undefined> {
  const known = await listKnownSecrets(tx);
  const { current, previous } = await findConfigured(known, secrets);
  if (!current && !previous && known.length > 0) return undefined;
  await forgetOthers(tx, known, [current, previous]);
  return current?.fingerprint ?? insertSecret(tx, secrets.current, now);
}

/** Makes this the only secret that the database knows. */
export async function acceptSecret(db: Db, secret: string, now: Date): Promise<void> {
  await withKnownSecretsLocked(db, async (tx) => {
    const known = await listKnownSecrets(tx);
    const { current } = await findConfigured(known, { current: secret });
    await forgetOthers(tx, known, [current]);
    if (!current) await insertSecret(tx, secret, now);
  });
}

async function insertSecret(tx: Db, secret: string, now: Date): Promise<string> {
  const fingerprint = await fingerprintOf(secret);
  await insertKnownSecret(tx, fingerprint, now);
  return fingerprint;
}

async function forgetOthers(
  tx: Db,
  known: readonly KnownSecret[],
  remaining: readonly (KnownSecret | undefined)[],
): Promise<void> {
  const others = known.filter((one) => !remaining.includes(one));
  await deleteKnownSecrets(
    tx,
    others.map(({ fingerprint }) => fingerprint),
  );
}
