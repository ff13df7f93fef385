// Bytes that were written and that their clients have not read: they stay in memory until then.
import type { Request, RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import type { ApiError } from '../core/errors.ts';
import type { RequestingUser } from '../core/rate-limits.ts';
import { findQuotaOwner, onResponseEnd, type QuotaOwner, toAccountOwner, toQuotaError } from './byte-quota.ts';

/** Counts the unread bytes of a response, and ends its connection when none is read for `idleTimeoutMs`. */
export function limitUnreadResponses(app: App): RequestHandler {
  return (req, res, next) => {
    const { end } = res;
    res.end = ((...args: Parameters<typeof end>) => {
      res.end = end;
      end.apply(res, args);
      // The whole response is written now; what the operating system has not accepted yet is in memory.
      if (!held.has(res)) holdUnread(app, req, { res, bytes: res.writableLength });
      return res;
    }) as typeof end;
    next();
  };
}

/** Responses whose bytes count already. */
const held = new WeakSet<Response>();

/** Counts bytes of a response until it has been sent. */
export function holdUnread(
  app: Pick<App, 'responseBytes' | 'idleTimeoutMs'>,
  req: Request,
  { res, bytes }: { readonly res: Response; readonly bytes: number },
): void {
  if (bytes === 0 || req.socket.destroyed) return;
  held.add(res);
  const owner = findQuotaOwner(req);
  app.responseBytes.add(owner, bytes);
  endIfUnread(res, app.idleTimeoutMs);
  onResponseEnd(req, () => app.responseBytes.release(owner, bytes));
}

/**
 * Ends the connection when the client reads nothing for that time. Each byte restarts the timer, so slow readers are
 * not cut off.
 */
export function endIfUnread(res: Response, milliseconds: number): void {
  res.setTimeout(milliseconds, () => res.destroy());
}

/**
 * The reason why a response of so many bytes cannot be sent now: its owner has not read earlier ones. A first one
 * always can be sent.
 */
export function unreadError(
  { responseBytes }: Pick<App, 'responseBytes'>,
  owner: QuotaOwner,
  bytes: number,
): ApiError | undefined {
  if (responseBytes.reservedBy(owner) === 0) return undefined;
  const exceeded = responseBytes.exceeded(owner, bytes);
  return exceeded && toQuotaError(exceeded, 'bytes of responses that were not read');
}

/** Fails for an account with too many unread response bytes, before any work is done. */
export function failIfUnread(app: App, account: RequestingUser): void {
  const error = unreadError(app, toAccountOwner(account), 1);
  if (error) throw error;
}
