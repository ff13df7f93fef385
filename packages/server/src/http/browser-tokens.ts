// Cookies by which a browser is recognized that was redirected to a provider of single sign-on
// (features/auth/actions/sign-in.ts).
import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Realm } from '../core/context.ts';
import { bounds } from '../core/limits.ts';

const COOKIE = 'parley_sign_in_';
const COOKIES = 20;

/** Sets a token in a browser for its return. */
export function setBrowserToken(res: Response, { url }: Realm, token: string): void {
  const secure = url.startsWith('https:');
  res.cookie(`${secure ? '__Host-' : ''}${COOKIE}${randomBytes(4).toString('hex')}`, token, {
    httpOnly: true,
    secure,
    sameSite: 'lax',
    path: '/',
    maxAge: bounds.sign_in,
  });
}

/** The tokens in the cookies of a browser; it may have begun several sign-ins. */
export function listBrowserTokens({ headers }: Request): string[] {
  // Express brings an older version of the library for cookies, and a package cannot ship two.
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  const ours = pairs.filter(([name = '']) => name.replace(/^__Host-/, '').startsWith(COOKIE));
  return ours.slice(0, COOKIES).map(([, value = '']) => value);
}
