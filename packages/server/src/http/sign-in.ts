// Endpoints that redirect users to identity providers, and that handle the callbacks (features/auth/actions).
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { App } from '../app.ts';
import type { PublicCtx, Realm } from '../core/context.ts';
import { failInvalid } from '../core/errors.ts';
import { AuthenticationFailed, type IdentityProvider, IdentityServiceUnavailable } from '../core/identity.ts';
import { bounds } from '../core/limits.ts';
import type { Server } from '../core/server.ts';
import { withoutTransaction } from '../core/transaction.ts';
import { isOneTimePad, listProvidersFor } from '../features/auth/index.ts';
import {
  beginSignIn,
  completePostedSignIn,
  getApiKeyForGrant,
  getCallbackUrls,
  handleCallback,
  handlePostedCallback,
  type SignInOutcome,
} from '../features/sign-in/index.ts';
import { inTurn } from './admission/index.ts';
import { readForm } from './body.ts';
import { listBrowserTokens, setBrowserToken } from './browser-tokens.ts';
import { sendConsent } from './oauth/consent.ts';
import { disableCaching, escapePageText, findPageRealm, type HtmlPage, sendPage } from './page.ts';
import { parsePairs } from './parse-pairs.ts';
import { countRequest } from './rate-limit.ts';

interface Visit {
  readonly ctx: PublicCtx<Server>;
  readonly req: Request;
  readonly res: Response;
  /** The query of the URL. */
  readonly query: URLSearchParams;
  /** The posted form. */
  readonly form: URLSearchParams;
}
type Visited = (visit: Visit, provider: IdentityProvider) => Promise<unknown>;

export function createSignInPages(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const at = (kind: IdentityProvider['kind'], work: Visited) =>
    visited(app, (visit) => withProvider(visit, kind, work));
  for (const kind of ['oidc', 'saml'] as const) {
    router.get(`/accounts/login/${kind}/:id`, at(kind, sendAway(false)));
    router.get(`/accounts/register/${kind}/:id`, at(kind, sendAway(true)));
  }
  router.get('/accounts/callback/oidc/:id', at('oidc', comeBack));
  router.post('/accounts/callback/saml/:id', at('saml', bringProof));
  router.get('/accounts/finish/saml/:id', at('saml', renderOutcome));
  router.get('/accounts/metadata/saml/:id', at('saml', showMetadata));
  router.post('/accounts/key', visited(app, showKey));
  return router;
}

function visited(app: App, work: (visit: Visit) => Promise<unknown>): RequestHandler {
  return async (req, res) => {
    await countRequest(app, res, { ip: req.ip, counter: 'logins' });
    const realm = await inTurn(app.admission, req, () => findPageRealm(app, req));
    if (realm.deactivated)
      return sendPage(res, createErrorPage(403, 'Closed', 'This organization has been deactivated.'));
    const query = new URLSearchParams(parsePairs(req.originalUrl.split('?').slice(1).join('?')));
    const form = new URLSearchParams(isForm(req) ? await readForm(app, req, res, bounds.proof) : []);
    const caller = { realm, me: undefined, client: 'Parley' };
    await withoutTransaction(app, caller, (ctx) => work({ ctx, req, res, query, form }));
  };
}

const isForm = (req: Request): boolean => req.method === 'POST' && Boolean(req.is('application/x-www-form-urlencoded'));

async function withProvider(visit: Visit, kind: IdentityProvider['kind'], work: Visited): Promise<void> {
  const { ctx, req, res } = visit;
  const offered = listProvidersFor(ctx.server.identity, ctx.realm);
  const provider = offered.find((one) => one.kind === kind && one.id === req.params.id);
  if (!provider)
    return sendPage(res, createErrorPage(404, 'Nothing to log in with', 'Users cannot log in this way here.'));
  try {
    await work(visit, provider);
  } catch (error) {
    if (!(error instanceof IdentityServiceUnavailable || error instanceof AuthenticationFailed)) throw error;
    const facts = { provider: `${kind}:${provider.id}`, reason: error.message };
    ctx.server.log.warn(facts, 'a user could not log in: run parley doctor if no user can');
    sendPage(res, whyNot(provider, error));
  }
}

function whyNot({ name }: IdentityProvider, error: IdentityServiceUnavailable | AuthenticationFailed): HtmlPage {
  if (error instanceof IdentityServiceUnavailable) {
    return createErrorPage(
      503,
      'Not now',
      `${name} does not respond, so it cannot say who you are. Try again in a minute.`,
    );
  }
  const sentences = {
    unverified: `${name} has not confirmed that your email address is yours. Confirm it there, and log in again.`,
    canceled: `${name} did not let you through. Log in again if you wish.`,
    'no proof': `What came back from ${name} does not prove who you are. Log in again.`,
  };
  return createErrorPage(403, 'You are not logged in', sentences[error.why]);
}

function sendAway(registers: boolean): Visited {
  return async ({ ctx, res, query }, provider) => {
    const otp = query.get('mobile_flow_otp') ?? undefined;
    if (otp !== undefined && !isOneTimePad(otp))
      failInvalid('mobile_flow_otp: it must be 64 hexadecimal digits, made by chance for this once.');
    const { url, browser } = await beginSignIn(ctx, provider, {
      registers,
      otp,
      authorization: query.get('authorization') ?? undefined,
    });
    setBrowserToken(res, ctx.realm, browser);
    disableCaching(res).redirect(302, url);
  };
}

const comeBack: Visited = async ({ ctx, req, res, query }, provider) =>
  welcome(ctx, res, provider, await handleCallback(ctx, provider, query, listBrowserTokens(req)));

const bringProof: Visited = async ({ ctx, res, form }, provider) => {
  const arrival = await handlePostedCallback(ctx, provider, form);
  if (arrival === undefined) return sendPage(res, startAgain(provider, ctx.realm));
  // Redirects to a second request, with which the browser sends its cookies: a cross-site POST comes without them.
  const next = `${ctx.realm.url}/accounts/finish/saml/${provider.id}?${new URLSearchParams({ arrival })}`;
  disableCaching(res).redirect(303, next);
};

const renderOutcome: Visited = async ({ ctx, req, res, query }, provider) =>
  welcome(ctx, res, provider, await completePostedSignIn(ctx, query.get('arrival') ?? '', listBrowserTokens(req)));

const showMetadata: Visited = async ({ ctx, res }, provider) => {
  const text = provider.metadata?.(getCallbackUrls(ctx.realm, provider)) ?? '';
  res.type('application/samlmetadata+xml').send(text);
};

async function welcome(
  ctx: PublicCtx<Server>,
  res: Response,
  provider: IdentityProvider,
  arrival: SignInOutcome,
): Promise<void> {
  if (arrival.state === 'sent') disableCaching(res).redirect(302, arrival.url);
  else if (arrival.state === 'good' && arrival.authorization !== undefined)
    await sendConsent(ctx, res, arrival.authorization, arrival);
  else sendPage(res, pageFor(ctx, provider, arrival));
}

function pageFor(
  { realm }: PublicCtx<Server>,
  provider: IdentityProvider,
  arrival: Exclude<SignInOutcome, { state: 'sent' }>,
): HtmlPage {
  switch (arrival.state) {
    case 'good':
      return question(realm, arrival);
    case 'void':
      return startAgain(provider, realm);
    case 'unknown':
      return noAccount(realm, provider, arrival);
    case 'deactivated':
      return createErrorPage(403, 'You are not logged in', 'Your account has been deactivated.');
    case 'bot':
      return createErrorPage(403, 'You are not logged in', 'This is the address of a bot.');
  }
}

/** Shows the key only after a confirmation: the screen may be visible to others. */
function question({ settings }: Realm, { email, grant }: Extract<SignInOutcome, { state: 'good' }>): HtmlPage {
  const text = `You are logged in to ${settings.name} as ${email}. Programs log in with this address and your API key.`;
  const form = `<form method="post" action="/accounts/key"><input type="hidden" name="grant" value="${escapePageText(grant)}">`;
  const body = `<p>${escapePageText(text)}</p>${form}<button>Show the API key</button></form>`;
  return { status: 200, title: 'You are logged in', body };
}

function noAccount(
  realm: Realm,
  { kind, id }: IdentityProvider,
  { email, problem }: Extract<SignInOutcome, { state: 'unknown' }>,
): HtmlPage {
  const link = `<a href="${escapePageText(`${realm.url}/accounts/register/${kind}/${id}`)}">Create an account</a>`;
  const text = escapePageText(`No account at ${realm.settings.name} has the address ${email}.`);
  const body = `<p>${text}</p><p>${problem === undefined ? link : escapePageText(problem)}</p>`;
  return { status: 403, title: 'You have no account here', body };
}

function startAgain({ kind, id, name }: IdentityProvider, { url }: Realm): HtmlPage {
  const text = 'This login has expired: it was used, it is older than ten minutes, or it began in another browser.';
  const link = `<a href="${escapePageText(`${url}/accounts/login/${kind}/${id}`)}">${escapePageText(`Log in with ${name}`)}</a>`;
  return { status: 403, title: 'You are not logged in', body: `<p>${text}</p><p>${link}</p>` };
}

const createErrorPage = (status: number, title: string, sentence: string): HtmlPage => ({
  status,
  title,
  body: `<p>${escapePageText(sentence)}</p>`,
});

async function showKey({ ctx, req, res, form }: Visit): Promise<void> {
  const grant = form.get('grant') ?? '';
  const found = await getApiKeyForGrant(ctx, grant, listBrowserTokens(req));
  if (!found)
    return sendPage(res, createErrorPage(403, 'You are not logged in', 'This page has expired. Log in again.'));
  const { email, api_key } = found;
  const body = `<p>Email: <code>${escapePageText(email)}</code></p><p>API key: <code>${escapePageText(api_key)}</code></p>`;
  sendPage(res, { status: 200, title: 'Your API key', body });
}
