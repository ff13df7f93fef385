// HTML pages of the server: escaped, without scripts, and with changes by POST only.
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { App } from '../app.ts';
import type { Realm } from '../core/context.ts';
import {
  failUnknownOrganization,
  findRealmBySubdomain,
  parseSubdomain,
  presentRealm,
} from '../features/realm/index.ts';

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit}code{overflow-wrap:anywhere}';

const policyOf = (style: string, targets: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    ["form-action 'self'", ...targets].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export interface HtmlPage {
  readonly status: number;
  readonly title: string;
  /** HTML: every value from users or clients in it is `escaped`. */
  readonly body: string;
  /** CSS that follows the style of every page. */
  readonly style?: string;
  /** Where its forms can redirect besides this server: browsers apply `form-action` to redirects, too. */
  readonly formTargets?: readonly string[];
}

/** Sets headers for pages and redirects that are for one user and one moment. */
export function disableCaching(res: Response): Response {
  return res.setHeader('Referrer-Policy', 'no-referrer').setHeader('Cache-Control', 'no-store');
}

export function sendPage(res: Response, { status, title, body, style = '', formTargets = [] }: HtmlPage): void {
  const css = STYLE + style;
  disableCaching(res)
    .status(status)
    .setHeader('Content-Security-Policy', policyOf(css, formTargets))
    .type('text/html')
    .send(
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">' +
        `<meta name="robots" content="noindex"><title>${title}</title><style>${css}</style></head>` +
        `<body><main><h1>${title}</h1>${body}</main></body></html>\n`,
    );
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapePageText = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');

/** The organization at the host of the page. */
export const findPageRealm = async (app: App, req: Request): Promise<Realm> =>
  (await findRealmAtHost(app, req)) ?? failUnknownOrganization(app.serverAddress);

export async function findRealmAtHost({ serverAddress, database }: App, req: Request): Promise<Realm | undefined> {
  const subdomain = parseSubdomain(req.headers.host, serverAddress.base_domain);
  const known = subdomain !== undefined && /^[\x20-\x7e]*$/.test(subdomain);
  const row = known ? await findRealmBySubdomain(database.db, subdomain) : undefined;
  return row && presentRealm(serverAddress, row);
}
