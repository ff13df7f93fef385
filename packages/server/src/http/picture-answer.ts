import type { Response } from 'express';

export interface Answered {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** How long it may be kept. */
  readonly seconds: number;
}

const YEAR = 365 * 24 * 3600;

/** Somebody sent these bytes: whatever a browser finds in them, it is to be a picture of this type and can run nothing. */
export function sendPicture(res: Response, { type, bytes, seconds }: Answered): void {
  res
    .setHeader('Content-Type', type)
    .setHeader('X-Content-Type-Options', 'nosniff')
    .setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
    .setHeader('Content-Disposition', 'inline')
    .setHeader('Cache-Control', `public, max-age=${seconds}${seconds === YEAR ? ', immutable' : ''}`)
    .send(Buffer.from(bytes));
}
