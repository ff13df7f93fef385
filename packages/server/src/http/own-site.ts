// Browsers add cached Basic credentials to requests that pages of other sites make, and a page can log in with a
// password that its user typed there.
import type { Request } from 'express';
import type { App } from '../app.ts';
import { fail } from '../core/errors.ts';

const REASON = 'A page of this origin cannot change anything here. Administrators can allow it with allowed_origins.';

/**
 * Rejects a write from a page of another site, with or without credentials: by `Sec-Fetch-Site`, and by `Origin` for
 * browsers that do not send the former. Other organizations are sites of their own, though a browser calls them the
 * same site. The operator can allow other origins, and so can the organization (`allowed`, undefined where that is not
 * known yet).
 */
export function requireOwnSite(app: App, req: Request, allowed: readonly string[] | undefined): void {
  if (req.method === 'GET' || req.method === 'HEAD') return;
  const origin = req.get('Origin');
  const from = req.get('Sec-Fetch-Site') ?? 'none';
  const isOwnSite = from === 'same-origin' || from === 'none';
  if (isOwnSite && (origin === undefined || isOwnOrigin(origin, req, app.serverAddress.scheme))) return;
  if (origin !== undefined && (app.allowedOrigins.has(origin) || (allowed ?? [origin]).includes(origin))) return;
  fail('UNAUTHORIZED', REASON);
}

/** Whether a page of this organization has the origin. Its port can differ from the server's, as behind a proxy. */
export function isOwnOrigin(origin: string, req: Request, scheme: 'http' | 'https'): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.origin !== origin.toLowerCase()) return false;
  if (url.protocol !== 'https:' && (scheme === 'https' || url.protocol !== 'http:')) return false;
  const own = `${url.protocol}//${req.headers.host ?? ''}`;
  return URL.canParse(own) && new URL(own).origin === url.origin;
}
