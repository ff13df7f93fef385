// OAuth 2.1 endpoints, outside the API: the standard defines their requests and responses (docs/adr/0040).
import cors from 'cors';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { App } from '../../app.ts';
import type { PublicCtx } from '../../core/context.ts';
import { ApiError, fail, failInvalid } from '../../core/errors.ts';
import { bounds } from '../../core/limits.ts';
import type { Server } from '../../core/server.ts';
import { transact } from '../../core/transaction.ts';
import {
  exchangeTokens,
  isOAuthResponse,
  OAUTH_PATHS,
  type OAuthForm,
  type OAuthResponse,
  presentMetadata,
  readClientCredentials,
  revokeTokens,
} from '../../features/applications/index.ts';
import { inTurn } from '../admission/index.ts';
import { readForm } from '../body.ts';
import { toBasicChallenge } from '../challenge.ts';
import { findPageRealm } from '../page.ts';
import { countRequest } from '../rate-limit.ts';
import { createConsentPages } from './consent.ts';
import { toUniquePairs } from './pairs.ts';

/** Pages of any origin can call these: they use no cookies or other credentials of the browser. */
const anyOrigin = cors({
  origin: '*',
  methods: ['GET', 'HEAD', 'POST'],
  allowedHeaders: ['Authorization', 'Content-Type'],
  exposedHeaders: ['Retry-After', 'X-Request-Id', 'WWW-Authenticate'],
  maxAge: 600,
});

type TokenWork = (ctx: PublicCtx<Server>, form: OAuthForm) => Promise<OAuthResponse>;

export function createOAuthRoutes(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const { metadata, token, revoke } = OAUTH_PATHS;
  for (const path of [metadata, token, revoke]) router.all(path, anyOrigin);
  router.get(metadata, async (req, res) => {
    await countRequest(app, res, { ip: req.ip, counter: 'reads' });
    res.json(presentMetadata(await inTurn(app.admission, req, () => findPageRealm(app, req))));
  });
  router.post(token, respond(app, exchangeTokens));
  router.post(revoke, respond(app, revokeTokens));
  router.use(createConsentPages(app));
  return router;
}

function respond(app: App, work: TokenWork): RequestHandler {
  return async (req, res) => {
    await countRequest(app, res, { ip: req.ip, counter: 'tokens' });
    send(req, res, await carryOut(app, req, res, work));
  };
}

async function carryOut(app: App, req: Request, res: Response, work: TokenWork): Promise<OAuthResponse> {
  try {
    const form = readClientCredentials(req.headers.authorization, await readOAuthForm(app, req, res));
    if (isOAuthResponse(form)) return form;
    return await inTurn(app.admission, req, async () => {
      const realm = await findPageRealm(app, req);
      if (realm.deactivated) fail('REALM_DEACTIVATED', 'This organization has been deactivated.');
      return transact(app, { realm, me: undefined, client: 'Parley' }, (ctx) => work(ctx, form));
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'BAD_REQUEST')) throw error;
    return { status: 400, body: { error: 'invalid_request', error_description: error.message } };
  }
}

async function readOAuthForm(app: App, req: Request, res: Response): Promise<OAuthForm> {
  if (!req.is('application/x-www-form-urlencoded')) failInvalid('The body must be application/x-www-form-urlencoded.');
  return toUniquePairs(await readForm(app, req, res, bounds.oauth_form));
}

function send(req: Request, res: Response, { status, body }: OAuthResponse): void {
  if (status === 401 && req.headers.authorization !== undefined)
    res.setHeader('WWW-Authenticate', toBasicChallenge(req));
  res.status(status).json(body);
}
