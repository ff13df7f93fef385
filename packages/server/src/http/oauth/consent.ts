// The page where users allow an application to act for them, or deny it.
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { App } from '../../app.ts';
import type { PublicCtx } from '../../core/context.ts';
import { ApiError, fail, failInvalid } from '../../core/errors.ts';
import { bounds } from '../../core/limits.ts';
import { toNetwork } from '../../core/network.ts';
import type { Server } from '../../core/server.ts';
import { withoutTransaction } from '../../core/transaction.ts';
import {
  type AuthorizationOutcome,
  type AuthorizationParams,
  checkAuthorization,
  completeAuthorization,
  OAUTH_PATHS,
} from '../../features/applications/index.ts';
import { fetchApiKey, getApiKeyForGrant } from '../../features/sign-in/index.ts';
import { inTurn, withoutTurn } from '../admission/index.ts';
import { readForm } from '../body.ts';
import { listBrowserTokens } from '../browser-tokens.ts';
import { isOwnOrigin } from '../own-site.ts';
import { disableCaching, escapePageText, findPageRealm, sendPage } from '../page.ts';
import { parsePairs } from '../parse-pairs.ts';
import { countRequest } from '../rate-limit.ts';
import { type ConsentFacts, renderConsent } from './consent-page.ts';
import { toUniquePairs } from './pairs.ts';

interface ConsentVisit {
  readonly app: App;
  readonly req: Request;
  readonly res: Response;
  readonly ctx: PublicCtx<Server>;
  /** The query of the page, and what is in it. */
  readonly query: string;
  readonly params: AuthorizationParams;
}

export function createConsentPages(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(OAUTH_PATHS.authorize, visit(app, 'reads', sendConsentPage));
  router.post(OAUTH_PATHS.authorize, visit(app, 'logins', decide));
  return router;
}

function visit(app: App, counter: 'reads' | 'logins', work: (visit: ConsentVisit) => Promise<void>): RequestHandler {
  return async (req, res) => {
    await countRequest(app, res, { ip: req.ip, counter });
    try {
      await inTurn(app.admission, req, async () => {
        const realm = await findPageRealm(app, req);
        if (realm.deactivated) return sendProblem(res, 403, 'This organization has been deactivated.');
        const caller = { realm, me: undefined, client: 'Parley', network: toNetwork(req.ip) };
        const query = req.originalUrl.split('?').slice(1).join('?');
        const params = toUniquePairs(parsePairs(query));
        await withoutTransaction(app, caller, (ctx) => work({ app, req, res, ctx, query, params }));
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'BAD_REQUEST')) throw error;
      sendProblem(res, 400, error.message);
    }
  };
}

/** Shows the request of an application. GET changes nothing. */
async function sendConsentPage(seen: ConsentVisit): Promise<void> {
  finish(seen, await checkAuthorization(seen.ctx, seen.params), { status: 200 });
}

async function decide(seen: ConsentVisit): Promise<void> {
  const { app, req, res, ctx, params } = seen;
  requireOwnPage(app, req);
  const form = toUniquePairs(await withoutTurn(req, () => readForm(app, req, res, bounds.oauth_form)));
  // The application that sends a user here must be known before a password is checked.
  const checked = await checkAuthorization(ctx, params);
  if (checked.state !== 'valid') return finish(seen, checked, { status: 200 });
  const { username, decision, grant } = form;
  if (decision === 'deny') return finish(seen, await complete(ctx, params, { allows: false }), { status: 200 });
  if (decision !== 'allow') failInvalid('decision: it must be allow or deny.');
  try {
    // The server hashes a password, or sends a request to a directory.
    const user_id = await withoutTurn(req, () => logIn(seen, form));
    finish(seen, await complete(ctx, params, { allows: true, user_id }), { status: 200 });
  } catch (error) {
    finish(seen, checked, { ...toConsentFacts(res, error), username, grant });
  }
}

/** The user who submitted the form: by password, or by the grant that single sign-on gave this browser. */
async function logIn({ ctx, req }: ConsentVisit, form: Record<string, string>): Promise<number> {
  const { username = '', password = '', grant } = form;
  if (grant === undefined) return (await fetchApiKey(ctx, { username, password })).user_id;
  const found = await getApiKeyForGrant(ctx, grant, listBrowserTokens(req));
  return found?.user_id ?? fail('AUTHENTICATION_FAILED', 'This login has expired. Go back to the application.');
}

const complete = (
  ctx: PublicCtx<Server>,
  params: AuthorizationParams,
  decision: Parameters<typeof completeAuthorization>[2],
) => ctx.server.inTransaction(ctx, (inside) => completeAuthorization(inside, params, decision));

/** Asks a user who has logged in by single sign-on. `query` is that of the page where they began. */
export async function sendConsent(
  ctx: PublicCtx<Server>,
  res: Response,
  query: string,
  login: Required<Pick<ConsentFacts, 'email' | 'grant'>>,
): Promise<void> {
  const outcome = await checkAuthorization(ctx, toUniquePairs(parsePairs(query)));
  finish({ ctx, res, query }, outcome, { status: 200, email: login.email, grant: login.grant });
}

type AuthorizationVisit = Pick<ConsentVisit, 'ctx' | 'res' | 'query'>;

function finish({ res, ctx, query }: AuthorizationVisit, outcome: AuthorizationOutcome, facts: ConsentFacts): void {
  if (outcome.state === 'redirect') disableCaching(res).redirect(303, outcome.url);
  else if (outcome.state === 'invalid') sendProblem(res, 400, outcome.problem);
  else sendPage(res, renderConsent(ctx, outcome, query, facts));
}

function toConsentFacts(res: Response, error: unknown): ConsentFacts {
  if (!(error instanceof ApiError)) throw error;
  const { message, code, extras } = error;
  if ('retry-after' in extras) res.setHeader('Retry-After', Math.ceil(extras['retry-after'] as number));
  return { status: STATUS[code] ?? 403, message };
}

const STATUS: Readonly<Record<string, number>> = {
  BAD_REQUEST: 400,
  RATE_LIMIT_HIT: 429,
  DIRECTORY_UNAVAILABLE: 503,
  SERVICE_UNAVAILABLE: 503,
};

function sendProblem(res: Response, status: number, sentence: string): void {
  sendPage(res, { status, title: 'This cannot be allowed', body: `<p>${escapePageText(sentence)}</p>` });
}

/**
 * Rejects a form that a page of another site posts. For a page without a referrer, as ours is, browsers send the origin
 * `null`; those browsers name the site in `Sec-Fetch-Site`.
 */
function requireOwnPage({ serverAddress }: App, req: Request): void {
  const from = req.get('Sec-Fetch-Site') ?? 'same-origin';
  const origin = req.get('Origin') ?? 'null';
  if (from === 'same-origin' && (origin === 'null' || isOwnOrigin(origin, req, serverAddress.scheme))) return;
  fail('UNAUTHORIZED', 'Only the page of this server can do this.');
}
