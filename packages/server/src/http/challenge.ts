import type { Request } from 'express';
import type { ApiError } from '../core/errors.ts';
import { readToken } from '../features/tokens/index.ts';

/** The `WWW-Authenticate` header of an error response, if it has one. */
export function getChallenge(req: Request, status: number, { code, extras }: ApiError): string | undefined {
  if (code === 'INSUFFICIENT_SCOPE') return `${BEARER}, error="insufficient_scope"${scopeOf(extras)}`;
  if (status !== 401) return undefined;
  // The headers of a request whose response was deferred are released by now.
  const hasToken = code === 'INVALID_TOKEN' || readToken(req.headers.authorization) !== undefined;
  return hasToken ? `${BEARER}, error="invalid_token"` : toBasicChallenge(req);
}

const BEARER = 'Bearer realm="parley"';

function scopeOf(extras: { readonly required_scope?: string }): string {
  const { required_scope = 'key' } = extras;
  return required_scope === 'key' ? '' : `, scope="${required_scope}"`;
}

/**
 * At `Basic`, browsers open a dialog of their own over the page that made the request. So requests of pages get a scheme
 * that no browser knows.
 */
export function toBasicChallenge(req: Request): string {
  return `${isOfPage(req) ? 'xBasic' : 'Basic'} realm="parley"`;
}

/**
 * Whether a page in a browser made the request, not a program or a user who opened the address. Over plain HTTP,
 * browsers send `Sec-Fetch-Dest` to their own machine only; then a browser that does not request HTML works for a page.
 * All browsers send `Accept`; PowerShell, which names Mozilla too and needs the challenge, does not.
 */
function isOfPage(req: Request): boolean {
  if (req.get('X-Requested-With') === 'XMLHttpRequest') return true;
  const destination = req.get('Sec-Fetch-Dest');
  if (destination !== undefined) return destination !== 'document';
  const isBrowser = /^Mozilla\//.test(req.get('User-Agent') ?? '');
  return isBrowser && req.get('Accept')?.includes('text/html') === false;
}
