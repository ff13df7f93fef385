import type { RequestHandler } from 'express';

const YEAR = 365 * 24 * 3600;

/** Headers of every response: no browser guesses another type, and one that came by HTTPS comes back by HTTPS. */
export const securityHeaders: RequestHandler = (req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (req.secure) res.setHeader('Strict-Transport-Security', `max-age=${YEAR}`);
  next();
};
