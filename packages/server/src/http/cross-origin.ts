// Pages of other origins that the operator allows to call the API: browsers ask before they send, and hide what is not exposed.
import cors from 'cors';
import type { RequestHandler } from 'express';

/** Seconds for which a browser need not ask again. */
const MAX_AGE = 600;

/** Answers preflight requests of these origins and lets their pages read responses. Other origins get no such header. */
export function allowOrigins(origins: ReadonlySet<string>): RequestHandler {
  if (origins.size === 0) return (_req, _res, next) => next();
  const allow = cors({
    origin: (origin, done) => done(null, origin !== undefined && origins.has(origin)),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID'],
    exposedHeaders: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After', 'X-Request-Id'],
    maxAge: MAX_AGE,
  });
  return (req, res, next) => {
    // A response to one origin must not be given to another from a cache.
    res.vary('Origin');
    allow(req, res, next);
  };
}
