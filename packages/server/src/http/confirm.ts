// The pages that links in letters lead to. They are for people without a client at hand, and need no login: the link is
// the proof.
import { createHash } from 'node:crypto';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { App } from '../app.ts';
import type { PublicCtx, Realm } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { transact, withoutTransaction } from '../core/transaction.ts';
import { findRealmBySubdomain, presentRealm, subdomainOf } from '../features/realm/index.ts';
import {
  CONFIRM_PATH,
  type Confirmation,
  confirmEmailChange,
  lookAtEmailChange,
} from '../features/settings/actions/index.ts';
import { countRequest } from './rate-limit.ts';

const STYLE = 'body{font:1rem/1.5 sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit}';
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Looking at a link does nothing, because programs that check letters look at it, too: a person presses the button. */
export function confirmations(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const answer =
    (work: (ctx: PublicCtx, token: string) => Promise<Confirmation>, run: typeof transact, body: typeof question) =>
    async (req: Request, res: Response) => {
      await countRequest(app, res, { ip: req.ip ?? '' });
      const realm = await realmOf(app, req);
      const token = req.params.token as string;
      const caller = { realm, me: undefined, client: 'Parley' };
      page(res, body(realm, await run(app, caller, (ctx) => work(ctx, token))));
    };
  router.get(`${CONFIRM_PATH}:token`, answer(lookAtEmailChange, withoutTransaction, question));
  router.post(`${CONFIRM_PATH}:token`, answer(confirmEmailChange, transact, outcome));
  return router;
}

async function realmOf(app: App, req: Request): Promise<Realm> {
  const subdomain = subdomainOf(req.headers.host, app.place.base_domain);
  const row = subdomain === undefined ? undefined : await findRealmBySubdomain(app.database.db, subdomain);
  return row ? presentRealm(app.place, row) : refuse('NOT_FOUND', 'There is nothing at this address.');
}

interface Page {
  status: number;
  title: string;
  body: string;
}

function question(realm: Realm, found: Confirmation): Page {
  if (found.state !== 'good') return outcome(realm, found);
  const text = `Your account at ${realm.settings.name} is to have the email address ${found.new_email}.`;
  const form = '<form method="post"><button>Confirm the address</button></form>';
  return { status: 200, title: 'Confirm your email address', body: `<p>${escaped(text)}</p>${form}` };
}

function outcome(realm: Realm, done: Confirmation): Page {
  if (done.state === 'void') {
    const text =
      'This link is not good any more: it was used, it is older than a day, or you asked for another address.';
    return { status: 404, title: 'Nothing to confirm', body: `<p>${text}</p>` };
  }
  const { name } = realm.settings;
  if (done.state === 'taken') {
    const text = `Somebody else at ${name} has the address ${done.new_email} by now. Yours stays as it is.`;
    return { status: 409, title: 'The address is in use', body: `<p>${escaped(text)}</p>` };
  }
  const text = `Your account at ${name} now has the address ${done.new_email}. Log in with it from now on.`;
  return { status: 200, title: 'Your email address is confirmed', body: `<p>${escaped(text)}</p>` };
}

function page(res: Response, { status, title, body }: Page): void {
  res
    .status(status)
    .setHeader('Content-Security-Policy', POLICY)
    .setHeader('X-Content-Type-Options', 'nosniff')
    .setHeader('Referrer-Policy', 'no-referrer')
    .setHeader('Cache-Control', 'no-store')
    .type('text/html')
    .send(
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
        `<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head>` +
        `<body><h1>${title}</h1>${body}</body></html>\n`,
    );
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
