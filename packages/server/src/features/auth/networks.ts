// The networks that accounts log in from: failed attempts from other networks do not lock these out.
import { createHash } from 'node:crypto';
import type { PublicCtx } from '../../core/context.ts';
import type { PasswordAttempt } from '../../core/rate-limits.ts';
import {
  deleteAllButNewestLoginNetworks,
  deleteLoginNetworksBefore,
  findLoginNetwork,
  upsertLoginNetwork,
} from './queries.ts';

/** The maximum number of remembered networks of an account. */
const MOST = 20;
const DAY = 24 * 3600 * 1000;
/** The time after which a network without a login of the account is forgotten. */
const LIFETIME = 90 * DAY;

export async function isKnownNetwork(ctx: PublicCtx, attempt: PasswordAttempt): Promise<boolean> {
  return findLoginNetwork(ctx.db, toHashes(attempt));
}

/** Writes nothing if the network was stored within the last day. */
export async function recordLoginNetwork(ctx: PublicCtx, attempt: PasswordAttempt): Promise<void> {
  const hashes = toHashes(attempt);
  const isInserted = await upsertLoginNetwork(
    ctx.db,
    { ...hashes, seen_at: ctx.now },
    new Date(ctx.now.getTime() - DAY),
  );
  if (isInserted) await deleteAllButNewestLoginNetworks(ctx.db, hashes, MOST);
}

export function deleteOldLoginNetworks(db: PublicCtx['db'], now: Date): Promise<void> {
  return deleteLoginNetworksBefore(db, new Date(now.getTime() - LIFETIME));
}

/** Hashes, so that a reader of the database does not learn the networks of users. */
function toHashes({ realm_id, username, network }: PasswordAttempt) {
  const name = username.trim().toLowerCase();
  return { realm_id, username_hash: hashOf([name]), network_hash: hashOf([name, network]) };
}

const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
