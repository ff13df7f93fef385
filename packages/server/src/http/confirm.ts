// The pages behind links in emails. They need no login: the link is the proof.
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { App } from '../app.ts';
import type { Ctx, PublicCtx, Realm } from '../core/context.ts';
import type { Server } from '../core/server.ts';
import { type Caller, transact, withoutTransaction } from '../core/transaction.ts';
import { CONFIRM_PATH, type Confirmation, confirmEmailChange, getEmailChange } from '../features/settings/index.ts';
import { inTurn } from './admission/index.ts';
import { escapePageText, findPageRealm, type HtmlPage, sendPage } from './page.ts';
import { countRequest } from './rate-limit.ts';

/** In a transaction or without one. */
type Run = <T>(app: App, caller: Caller, work: (ctx: Ctx<Server>) => Promise<T>) => Promise<T>;

/** GET changes nothing, because programs that scan emails open the link, too: the user presses the button. */
export function createConfirmationPages(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const respond =
    (work: (ctx: PublicCtx<Server>, token: string) => Promise<Confirmation>, run: Run, body: typeof question) =>
    async (req: Request, res: Response) => {
      await countRequest(app, res, { ip: req.ip, counter: 'reads' });
      const token = req.params.token as string;
      const page = await inTurn(app.admission, req, async () => {
        const realm = await findPageRealm(app, req);
        const caller = { realm, me: undefined, client: 'Parley' };
        return body(realm, await run(app, caller, (ctx) => work(ctx, token)));
      });
      sendPage(res, page);
    };
  router.get(`${CONFIRM_PATH}:token`, respond(getEmailChange, withoutTransaction, question));
  router.post(`${CONFIRM_PATH}:token`, respond(confirmEmailChange, transact, outcome));
  return router;
}

function question(realm: Realm, found: Confirmation): HtmlPage {
  if (found.state !== 'good') return outcome(realm, found);
  const text = `Your account at ${realm.settings.name} is to have the email address ${found.new_email}.`;
  const form = '<form method="post"><button>Confirm the address</button></form>';
  return { status: 200, title: 'Confirm your email address', body: `<p>${escapePageText(text)}</p>${form}` };
}

function outcome(realm: Realm, done: Confirmation): HtmlPage {
  if (done.state === 'void') {
    const text = 'This link has expired: it was used, it is older than a day, or you asked for another address.';
    return { status: 404, title: 'Nothing to confirm', body: `<p>${text}</p>` };
  }
  const { name } = realm.settings;
  if (done.state === 'taken') {
    const text = `Another account at ${name} has the address ${done.new_email} by now. Yours stays as it is.`;
    return { status: 409, title: 'The address is in use', body: `<p>${escapePageText(text)}</p>` };
  }
  const text = `Your account at ${name} now has the address ${done.new_email}. Log in with it from now on.`;
  return { status: 200, title: 'Your email address is confirmed', body: `<p>${escapePageText(text)}</p>` };
}
