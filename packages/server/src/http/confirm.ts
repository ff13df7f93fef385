// The pages that links in letters lead to. They need no login: the link is the proof.
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { App } from '../app.ts';
import type { PublicCtx, Realm } from '../core/context.ts';
import { toNetwork } from '../core/network.ts';
import { withoutTransaction } from '../core/transaction.ts';
import {
  CONFIRM_PATH,
  type Confirmation,
  confirmEmailChange,
  lookAtEmailChange,
} from '../features/settings/actions/index.ts';
import { escaped, type Page, page, realmOf } from './page.ts';
import { countRequest } from './rate-limit.ts';

const FORM = express.text({ type: 'application/x-www-form-urlencoded', limit: 4096 });

/** Looking at a link does nothing, because programs that check letters look at it, too: a person presses the button. */
export function confirmations(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const answer =
    (work: (ctx: PublicCtx, token: string, password?: string) => Promise<Confirmation>, body: typeof question) =>
    async (req: Request, res: Response) => {
      await countRequest(app, res, { ip: req.ip, counter: 'reads' });
      const realm = await realmOf(app, req);
      const token = req.params.token as string;
      const password = new URLSearchParams(String(req.body ?? '')).get('password') ?? undefined;
      const caller = { realm, me: undefined, client: 'Parley', network: toNetwork(req.ip) };
      page(res, body(realm, await withoutTransaction(app, caller, (ctx) => work(ctx, token, password))));
    };
  router.get(
    `${CONFIRM_PATH}:token`,
    answer((ctx, token) => lookAtEmailChange(ctx, token), question),
  );
  router.post(`${CONFIRM_PATH}:token`, FORM, answer(confirmEmailChange, outcome));
  return router;
}

function question(realm: Realm, found: Confirmation): Page {
  if (found.state !== 'good') return outcome(realm, found);
  const text = `Your account at ${realm.settings.name} is to have the email address ${found.new_email}.`;
  return { status: 200, title: 'Confirm your email address', body: `<p>${escaped(text)}</p>${formOf('')}` };
}

const formOf = (fields: string): string => `<form method="post">${fields}<button>Confirm the address</button></form>`;
const PASSWORD_FIELD =
  '<p><label>Your password: <input type="password" name="password" autocomplete="current-password" required></label></p>';

/** Asks for what shows that the account is the reader's: whoever asked for the address may have had no more than its API key. */
function proofPage(realm: Realm, { new_email, proof, problem }: Extract<Confirmation, { state: 'asks' }>): Page {
  const text = `Your account at ${realm.settings.name} is to have the email address ${new_email}.`;
  const signIn = '<p>Log in by single sign-on in another window, and confirm the address here within ten minutes.</p>';
  const said = problem === undefined || problem === '' ? '' : `<p role="alert">${escaped(problem)}</p>`;
  const body = `<p>${escaped(text)}</p>${said}${proof === 'password' ? formOf(PASSWORD_FIELD) : signIn + formOf('')}`;
  return { status: problem === undefined ? 200 : 403, title: 'Confirm your email address', body };
}

function outcome(realm: Realm, done: Confirmation): Page {
  if (done.state === 'void') {
    const text =
      'This link is not good any more: it was used, it is older than a day, or you asked for another address.';
    return { status: 404, title: 'Nothing to confirm', body: `<p>${text}</p>` };
  }
  if (done.state === 'asks') return proofPage(realm, done);
  const { name } = realm.settings;
  if (done.state === 'taken') {
    const text = `Somebody else at ${name} has the address ${done.new_email} by now. Yours stays as it is.`;
    return { status: 409, title: 'The address is in use', body: `<p>${escaped(text)}</p>` };
  }
  const text = `Your account at ${name} now has the address ${done.new_email}. Log in with it from now on.`;
  return { status: 200, title: 'Your email address is confirmed', body: `<p>${escaped(text)}</p>` };
}
