import type { Request, Response } from 'express';
import type { App } from '../app.ts';
import { fail } from '../core/errors.ts';
import { findQuotaOwner } from './byte-quota.ts';
import { countRequest } from './rate-limit.ts';
import { unreadError } from './unread-responses.ts';

export interface PictureOutcome {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The caching period. */
  readonly seconds: number;
  /** An entity tag of these bytes. */
  readonly key?: string;
}

const YEAR = 365 * 24 * 3600;

/** A user uploaded these bytes: a browser must take them for an image of this type, and run nothing in them. */
export function sendPicture(app: App, res: Response, { type, bytes, seconds, key }: PictureOutcome): void {
  const error = unreadError(app, findQuotaOwner(res.req), bytes.length);
  if (error) throw error;
  // Express answers 304 by it.
  if (key !== undefined) res.setHeader('ETag', `"${key}"`);
  res
    .setHeader('Content-Type', type)
    .setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
    .setHeader('Content-Disposition', 'inline')
    .setHeader('Cache-Control', `public, max-age=${seconds}${seconds === YEAR ? ', immutable' : ''}`)
    .send(Buffer.from(bytes));
}

/** Pictures need no login, so requests for pictures that do not exist are counted by address. */
export async function sendNoPicture(app: App, { ip }: Request, res: Response): Promise<never> {
  await countRequest(app, res, { ip, counter: 'pictures' });
  return fail('NOT_FOUND', 'There is nothing at this address.');
}
