// What the keys of each account take up. Counting rows for each request would cost more than most requests, so a process
// counts them once in a while and adds what it writes itself.
import type { Ctx } from '../../core/context.ts';
import { ApiError } from '../../core/errors.ts';
import { countKeys } from './queries.ts';

export interface KeyLimits {
  /** Keys of an account within the time that they are stored. */
  readonly keys: number;
  /** Bytes of the responses that are stored under them. */
  readonly bytes: number;
}

interface Usage {
  keys: number;
  bytes: number;
  readonly counted_at: number;
}

/** The error response for a new key beyond the limit. It is not stored: that would take a key. */
export class KeyLimitError extends ApiError {}

const MINUTE = 60_000;
/** How long a count is valid. For an account at its limit it is repeated sooner, because keys expire. */
const [COUNT_AGE, FULL_COUNT_AGE] = [10 * MINUTE, MINUTE];
/** The maximum number of accounts whose counts are cached. */
const ACCOUNTS = 10_000;

const byServer = new WeakMap<object, Map<string, Usage>>();

/** Counts a new key, and fails if the account has reached the limit of keys, or of bytes stored under them. */
export async function countNewKey(ctx: Ctx, limits: KeyLimits): Promise<void> {
  const usage = await findUsage(ctx, limits);
  if (usage.keys >= limits.keys) {
    throw new KeyLimitError(
      'BAD_REQUEST',
      `Idempotency-Key: your account has used ${limits.keys} keys within 24 hours, and can use no new one yet.`,
      { reason: 'limit_reached' },
    );
  }
  if (usage.bytes >= limits.bytes) {
    throw new KeyLimitError(
      'BAD_REQUEST',
      `Idempotency-Key: the responses kept for your account have ${limits.bytes} bytes, and it can use no new key yet.`,
      { reason: 'limit_reached' },
    );
  }
  usage.keys++;
}

export function countStoredBytes(ctx: Ctx, bytes: number): void {
  const usage = usagesOf(ctx).get(keyOf(ctx));
  if (usage) usage.bytes += bytes;
}

async function findUsage(ctx: Ctx, limits: KeyLimits): Promise<Usage> {
  const usages = usagesOf(ctx);
  const known = usages.get(keyOf(ctx));
  const now = ctx.now.getTime();
  if (known && now - known.counted_at < (isFull(known, limits) ? FULL_COUNT_AGE : COUNT_AGE)) return known;
  // The row of this request is included by now.
  const { keys, bytes } = await countKeys(ctx.db, ctx.me, ctx.now);
  const usage: Usage = { keys: keys - 1, bytes, counted_at: now };
  if (usages.size >= ACCOUNTS) usages.clear();
  usages.set(keyOf(ctx), usage);
  return usage;
}

const isFull = ({ keys, bytes }: Usage, limits: KeyLimits): boolean => keys >= limits.keys || bytes >= limits.bytes;

const keyOf = ({ me }: Ctx): string => `${me.realm_id}:${me.id}`;

function usagesOf({ server }: Ctx): Map<string, Usage> {
  const usages = byServer.get(server) ?? new Map<string, Usage>();
  byServer.set(server, usages);
  return usages;
}
