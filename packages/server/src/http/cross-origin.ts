// CORS for pages of other origins that the operator or the organization allows to call the API. Browsers send a
// preflight request first, and hide headers that are not exposed.
import cors from 'cors';
import type { Request, RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import { findRealmBySubdomain, parseSubdomain, presentRealm } from '../features/realm/index.ts';
import { inTurn } from './admission/index.ts';
import { isOwnOrigin } from './own-site.ts';

/** Seconds for which a browser can cache the result of a preflight request. */
const MAX_AGE = 600;

const allow = cors({
  origin: true,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match', 'Last-Event-ID'],
  exposedHeaders: [
    'ETag',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'X-Request-Id',
  ],
  maxAge: MAX_AGE,
});

/**
 * Responds to preflight requests of allowed origins, and lets their pages read responses. Other origins get no such
 * header.
 */
export function allowOrigins(app: App): RequestHandler {
  return async (req, res, next) => {
    // A cache must not return a response for one origin to another. No layer before this one sets the header.
    res.setHeader('Vary', 'Origin');
    const origin = req.get('Origin');
    if (origin !== undefined && (await isAllowed(app, req, origin))) allow(req, res, next);
    else next();
  };
}

/** Lets a page read a response that is sent before any lookup, where its origin is known to be allowed. */
export function allowKnownOrigin(app: App, req: Request, res: Response): void {
  const { origin } = req.headers;
  if (origin === undefined) return;
  const subdomain = parseSubdomain(req.headers.host, app.serverAddress.base_domain);
  const ofOrganization = subdomain === undefined ? undefined : app.organizationOrigins.findLast(subdomain);
  if (app.allowedOrigins.has(origin) || ofOrganization?.includes(origin)) allow(req, res, () => {});
}

async function isAllowed(app: App, req: Request, origin: string): Promise<boolean> {
  if (app.allowedOrigins.has(origin)) return true;
  const subdomain = parseSubdomain(req.headers.host, app.serverAddress.base_domain);
  // Pages of the organization itself need no CORS headers.
  if (subdomain === undefined || isOwnOrigin(origin, req, app.serverAddress.scheme)) return false;
  const origins = app.organizationOrigins.find(subdomain) ?? (await lookUp(app, req, subdomain));
  return origins.includes(origin);
}

/**
 * Reads the origins of an organization, as one of the requests in progress. Pages of any site can make browsers cause this
 * for any name, so the first time counts as a read without credentials. Later times do not: the cached origins of a
 * busy organization expire with each event, and its allowed pages would use up the reads of their address. If the read
 * fails, the last known origins apply.
 */
async function lookUp(app: App, req: Request, subdomain: string): Promise<readonly string[]> {
  if (!/^[\x20-\x7e]*$/.test(subdomain)) return [];
  const { organizationOrigins } = app;
  try {
    if (organizationOrigins.findLast(subdomain) === undefined) {
      const verdict = await app.requestLimits.address(req.ip, 'reads');
      if (verdict?.wait !== undefined) return [];
    }
    await inTurn(app.admission, req, async () => {
      // Another request may have read them meanwhile.
      if (organizationOrigins.find(subdomain) !== undefined) return;
      const row = await findRealmBySubdomain(app.database.db, subdomain);
      organizationOrigins.remember(subdomain, row && presentRealm(app.serverAddress, row));
    });
  } catch {
    // The request itself fails for the same reason; with the last known origins the page can read that error.
  }
  return organizationOrigins.findLast(subdomain) ?? [];
}
