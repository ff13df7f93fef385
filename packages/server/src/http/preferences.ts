// Headers in which a client says what it prefers. To order them costs a millisecond for each two kilobytes, before anything is known of the client.
import type { RequestHandler } from 'express';
import { bounds } from '../core/limits.ts';

const PREFERENCES = ['accept', 'accept-encoding', 'accept-language', 'accept-charset'] as const;

/** Drops preferences that no client has: a server may disregard any (RFC 9110, 12.5). */
export const boundPreferences: RequestHandler = ({ headers }, _res, next) => {
  for (const name of PREFERENCES) {
    if ((headers[name]?.length ?? 0) > bounds.preference_header) delete headers[name];
  }
  next();
};
