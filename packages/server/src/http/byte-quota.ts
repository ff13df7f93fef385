// What each account, each address and the process as a whole may hold at once, counted in this process alone.
import type { Request } from 'express';
import { ApiError } from '../core/errors.ts';
import { findCall, getCallOwner } from './call.ts';

export interface ByteQuotaLimits {
  readonly process: number;
  readonly account: number;
  /** For requests without credentials from one address. */
  readonly address: number;
  /** The amount that every owner can hold, however much others hold: others cannot starve it. */
  readonly guaranteed: number;
}

/** The limit that an amount exceeds. */
export type ExceededQuota = 'process' | QuotaOwner['kind'];

/** The owner of held bytes: an account, or an address for requests without credentials. */
export interface QuotaOwner {
  readonly kind: 'account' | 'address';
  readonly key: string;
}

export class ByteQuota {
  readonly limits: ByteQuotaLimits;
  readonly #reserved = new Map<string, number>();
  #total = 0;

  constructor(limits: ByteQuotaLimits) {
    this.limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  reservedBy({ key }: QuotaOwner): number {
    return this.#reserved.get(key) ?? 0;
  }

  /** The limit that this amount would exceed, if any. */
  exceeded(owner: QuotaOwner, amount: number): ExceededQuota | undefined {
    const own = this.reservedBy(owner) + amount;
    if (own > this.limits[owner.kind]) return owner.kind;
    return own > this.limits.guaranteed && this.#total + amount > this.limits.process ? 'process' : undefined;
  }

  /** Adds the amount to its owner, unless it exceeds a limit: then returns that limit. */
  reserve(owner: QuotaOwner, amount: number): ExceededQuota | undefined {
    const limit = this.exceeded(owner, amount);
    if (limit === undefined) this.add(owner, amount);
    return limit;
  }

  /** Adds an amount without a check, for a response that was already written. */
  add(owner: QuotaOwner, amount: number): void {
    this.#total += amount;
    this.#reserved.set(owner.key, this.reservedBy(owner) + amount);
  }

  release(owner: QuotaOwner, amount: number): void {
    const left = this.reservedBy(owner) - amount;
    this.#total -= amount;
    if (left > 0) this.#reserved.set(owner.key, left);
    else this.#reserved.delete(owner.key);
  }
}

export const toAccountOwner = ({ realm_id, id }: { realm_id: number; id: number }): QuotaOwner => ({
  kind: 'account',
  key: `account ${realm_id}:${id}`,
});

export function findQuotaOwner(req: Request): QuotaOwner {
  const call = findCall(req);
  const { realm, user } = (call && getCallOwner(call)) ?? {};
  if (realm !== undefined && user !== undefined) return toAccountOwner({ realm_id: realm, id: user });
  return { kind: 'address', key: `address ${req.ip ?? ''}` };
}

/** Calls `release` once, when the response was sent or its connection closed: at once, if that has happened. */
export function onResponseEnd(req: Request, release: () => void): void {
  // A pipelined response whose turn never comes has no `close`; its connection has.
  const { socket, res } = req;
  if (!res || res.closed || socket.destroyed) {
    release();
    return;
  }
  let isReleased = false;
  const once = () => {
    res.off('close', once);
    socket.off('close', once);
    // A response closes while its connection tells its listeners, of which this is one of both.
    if (!isReleased) release();
    isReleased = true;
  };
  res.once('close', once);
  socket.once('close', once);
}

const RETRY_AFTER = 5;

/** The error response of an exceeded limit. `what` names the bytes in the plural. */
export function toQuotaError(limit: ExceededQuota, what: string): ApiError {
  const wait = { 'retry-after': RETRY_AFTER };
  if (limit === 'process') {
    return new ApiError(
      'SERVICE_UNAVAILABLE',
      `The server holds too many ${what} at once. Try again in ${RETRY_AFTER} seconds.`,
      wait,
    );
  }
  const whose = limit === 'account' ? 'Your account' : 'Your address';
  return new ApiError(
    'RATE_LIMIT_HIT',
    `${whose} holds too many ${what} at once. Try again in ${RETRY_AFTER} seconds.`,
    wait,
  );
}
