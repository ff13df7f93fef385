import type { RequestHandler } from 'express';

const YEAR = 365 * 24 * 3600;

/**
 * Headers of every response: browsers must not guess another type, and must keep using HTTPS after a response by HTTPS.
 */
export const securityHeaders: RequestHandler = (req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  if (req.secure) res.setHeader('Strict-Transport-Security', `max-age=${YEAR}`);
  next();
};
