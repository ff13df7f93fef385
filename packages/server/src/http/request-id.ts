// The id of a request: in its response, and in its log line.
import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';

export const REQUEST_ID = 'X-Request-Id';

/** Ids in common forms: UUIDs, hexadecimal numbers, and the like. */
const VALID = /^[\w.:-]{1,128}$/;

type IsTrusted = (address: string, hop: number) => boolean;

/** A new id, or the one that a trusted proxy sent. */
function toRequestId(req: Request): string {
  const { [REQUEST_ID.toLowerCase()]: sent } = req.headers;
  if (typeof sent !== 'string' || !VALID.test(sent)) return randomUUID();
  const isTrusted = req.app.get('trust proxy fn') as IsTrusted;
  return isTrusted(req.socket.remoteAddress ?? '', 0) ? sent : randomUUID();
}

/** Sets the header on every response. */
export const setRequestId: RequestHandler = (req, res, next) => {
  res.setHeader(REQUEST_ID, toRequestId(req));
  next();
};
