// Browsers send the Basic credentials that they know with whatever a page of another site has them send.
import type { Request } from 'express';
import { refuse } from '../core/errors.ts';

const REASON = 'A page of another site cannot change anything here with the credentials of a browser.';

/**
 * Refuses a write that a page of another site asks for: by `Sec-Fetch-Site`, and by `Origin`, which browsers send that do not
 * send the former. Other organizations are sites of their own, though a browser calls them the same one. The operator can allow
 * other origins.
 */
export function requireOwnSite(req: Request, scheme: 'http' | 'https', allowedOrigins: ReadonlySet<string>): void {
  if (req.method === 'GET' || req.method === 'HEAD') return;
  const origin = req.get('Origin');
  if (origin !== undefined && allowedOrigins.has(origin)) return;
  const from = req.get('Sec-Fetch-Site') ?? 'none';
  if (from !== 'same-origin' && from !== 'none') refuse('UNAUTHORIZED', REASON);
  if (origin !== undefined && !isOwnOrigin(origin, req, scheme)) refuse('UNAUTHORIZED', REASON);
}

/** Whether a page of this organization has the origin. Its port may be another than the server knows, as behind a proxy. */
function isOwnOrigin(origin: string, req: Request, scheme: 'http' | 'https'): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.origin !== origin.toLowerCase()) return false;
  if (url.protocol !== 'https:' && (scheme === 'https' || url.protocol !== 'http:')) return false;
  const own = `${url.protocol}//${req.headers.host ?? ''}`;
  return URL.canParse(own) && new URL(own).origin === url.origin;
}
