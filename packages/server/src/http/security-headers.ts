import type { Request, RequestHandler } from 'express';

const YEAR = 365 * 24 * 3600;

const BY_HTTP = [['X-Content-Type-Options', 'nosniff']] as const;
const BY_HTTPS = [...BY_HTTP, ['Strict-Transport-Security', `max-age=${YEAR}`]] as const;

/** The server has no TLS itself, so only a proxy can say so; whether it is trusted takes Express a dozen calls. */
const isByHttps = (req: Request): boolean => req.headers['x-forwarded-proto'] !== undefined && req.secure;

/**
 * Headers of every response, with their values: browsers must not guess another type, and must keep using HTTPS after a response by
 * HTTPS.
 */
export const listSecurityHeaders = (req: Request) => (isByHttps(req) ? BY_HTTPS : BY_HTTP);

export const securityHeaders: RequestHandler = (req, res, next) => {
  for (const [name, value] of listSecurityHeaders(req)) res.setHeader(name, value);
  next();
};
