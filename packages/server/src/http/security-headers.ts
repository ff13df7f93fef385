import type { Request, RequestHandler } from 'express';

const YEAR = 365 * 24 * 3600;

/**
 * Headers of every response, names and values in turn: browsers must not guess another type, and must keep using HTTPS after a response
 * by HTTPS.
 */
export const listSecurityHeaders = (req: Request): readonly string[] => (isByHttps(req) ? BY_HTTPS : BY_HTTP);

const BY_HTTP = ['X-Content-Type-Options', 'nosniff'] as const;
const BY_HTTPS = [...BY_HTTP, 'Strict-Transport-Security', `max-age=${YEAR}`] as const;

/** The server has no TLS itself, so only a proxy can say so; whether it is trusted takes Express a dozen calls. */
const isByHttps = (req: Request): boolean => req.headers['x-forwarded-proto'] !== undefined && req.secure;

export const securityHeaders: RequestHandler = (req, res, next) => {
  const headers = listSecurityHeaders(req);
  for (let n = 0; n < headers.length; n += 2) res.setHeader(headers[n] ?? '', headers[n + 1] ?? '');
  next();
};
