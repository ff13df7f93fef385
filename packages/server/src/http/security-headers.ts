import type { Request, RequestHandler } from 'express';

const YEAR = 365 * 24 * 3600;

/** Headers of every response: no browser guesses another type, and one that came by HTTPS comes back by HTTPS. */
export const securityHeaders: RequestHandler = (req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (req.secure) res.setHeader('Strict-Transport-Security', `max-age=${YEAR}`);
  next();
};

/**
 * The challenge of a 401. A browser opens a dialog of its own at `Basic`, over the page that made the request, so requests
 * of scripts get a scheme that no browser knows.
 */
export function getChallenge(req: Request): string {
  const isScript = req.get('Sec-Fetch-Dest') === 'empty' || req.get('X-Requested-With') === 'XMLHttpRequest';
  return `${isScript ? 'xBasic' : 'Basic'} realm="parley"`;
}
