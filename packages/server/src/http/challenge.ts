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
 * At `Basic`, browsers open a dialog of their own over the page that made the request. So requests of scripts get a
 * scheme that no browser knows.
 */
export function toBasicChallenge(req: Request): string {
  const isScript = req.get('Sec-Fetch-Dest') === 'empty' || req.get('X-Requested-With') === 'XMLHttpRequest';
  return `${isScript ? 'xBasic' : 'Basic'} realm="parley"`;
}
