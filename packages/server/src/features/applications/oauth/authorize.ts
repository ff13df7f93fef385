// The authorization request: an application redirects a user here, the user allows or denies it, and is redirected
// back.
import { randomBytes } from 'node:crypto';
import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { PublicCtx, User } from '../../../core/context.ts';
import type { TokenHashing } from '../../../core/credentials.ts';
import { fail } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import { precheckRoom } from '../../../core/require-room.ts';
import { lockAccount } from '../../user-admin/index.ts';
import { type ApplicationRow, insertCode } from '../queries.ts';
import { addQuery, hasRedirectUri, isWithin } from '../rules.ts';
import { findClient, lockClient } from './clients.ts';
import {
  type AuthorizationCodeModel,
  getAccessToken,
  getLibrary,
  type LibraryCode,
  requireOAuthError,
  toLibraryClient,
} from './library.ts';

export type AuthorizationParams = Readonly<Record<string, string>>;

/** What an application requests from a user. */
export interface RequestedAuthorization {
  readonly application: ApplicationRow;
  readonly redirect_uri: string;
  readonly scopes: ApplicationRow['scopes'];
}

export type AuthorizationOutcome =
  /** The user cannot be redirected back: the application or the redirect URI is unknown. */
  | { readonly state: 'invalid'; readonly problem: string }
  | { readonly state: 'redirect'; readonly url: string }
  /** The user must consent. */
  | ({ readonly state: 'valid' } & RequestedAuthorization);

/** The decision of the user. */
type UserDecision = { readonly allows: true; readonly user_id: number } | { readonly allows: false };

/** Checks the request of an application, before the user can consent. Stores nothing. */
export const checkAuthorization = (
  ctx: PublicCtx<CollectionLimiting & TokenHashing>,
  params: AuthorizationParams,
): Promise<AuthorizationOutcome> => decide(ctx, params, undefined);

/** Applies the decision of the user: stores a code, or none. Needs a transaction. */
export const completeAuthorization = (
  ctx: PublicCtx<CollectionLimiting & TokenHashing>,
  params: AuthorizationParams,
  decision: UserDecision,
): Promise<AuthorizationOutcome> => decide(ctx, params, decision);

async function decide(
  ctx: PublicCtx<CollectionLimiting & TokenHashing>,
  params: AuthorizationParams,
  decision: UserDecision | undefined,
): Promise<AuthorizationOutcome> {
  const { redirect_uri = '', state } = params;
  const application = await (decision ? lockClient : findClient)(ctx, params.client_id ?? '');
  if (!application) return { state: 'invalid', problem: 'client_id: there is no such application.' };
  if (!hasRedirectUri(application.redirect_uris, redirect_uri))
    return { state: 'invalid', problem: 'redirect_uri: it is not one of the URIs that the application registered.' };
  const user = decision?.allows ? await requireActiveUser(ctx, decision.user_id) : undefined;
  const back = (more: Record<string, string>): AuthorizationOutcome => ({
    state: 'redirect',
    url: addQuery(redirect_uri, { ...more, state, iss: ctx.realm.url }),
  });
  try {
    const code = await authorizeWithLibrary(ctx, params, { application, user, denied: decision?.allows === false });
    if (user) return back({ code: code.authorizationCode });
    return { state: 'valid', application, redirect_uri, scopes: (code.scope ?? []) as ApplicationRow['scopes'] };
  } catch (error) {
    const { name, message } = requireOAuthError(error);
    return back({ error: name, error_description: message });
  }
}

interface AuthorizationDecision {
  readonly application: ApplicationRow;
  /** Undefined: no user has allowed it yet. */
  readonly user: User | undefined;
  readonly denied: boolean;
}

async function authorizeWithLibrary(
  ctx: PublicCtx<TokenHashing>,
  params: AuthorizationParams,
  decided: AuthorizationDecision,
): Promise<LibraryCode> {
  const OAuth2Server = getLibrary();
  const { Request, Response } = OAuth2Server;
  const query = { ...params, allowed: String(!decided.denied) };
  const server = new OAuth2Server({ model: createModel(ctx, params, decided) });
  return server.authorize(new Request({ headers: {}, method: 'GET', query }), new Response(), {
    authenticateHandler: { handle: () => decided.user ?? NO_USER },
    authorizationCodeLifetime: bounds.authorization_code / 1000,
    // PKCE and `iss` protect an application that sends no state.
    allowEmptyState: true,
  });
}

/** The library checks a request only together with a user. */
const NO_USER = {};

function createModel(
  ctx: PublicCtx<TokenHashing>,
  params: AuthorizationParams,
  { application, user }: AuthorizationDecision,
): AuthorizationCodeModel {
  return {
    getAccessToken,
    getClient: async () => toLibraryClient(application),
    validateRedirectUri: async (uri) => hasRedirectUri(application.redirect_uris, uri),
    validateScope: async (_user, _client, scope = []) =>
      scope.length > 0 && isWithin<string>(scope, application.scopes) && [...new Set(scope)],
    generateAuthorizationCode: async () => randomBytes(32).toString('base64url'),
    saveAuthorizationCode: async (code, client) => {
      requireChallenge(params);
      if (user) await storeCode(ctx, code, application, user);
      return { ...code, client, user: user ?? NO_USER };
    },
    // Part of the exchange, which has a model of its own.
    getAuthorizationCode: async () => false,
    revokeAuthorizationCode: async () => false,
    saveToken: async () => false,
  };
}

/**
 * Checks what the library leaves to the application: the code challenge is required, and codes are returned in the
 * query only.
 */
function requireChallenge({
  code_challenge = '',
  code_challenge_method,
  response_mode = 'query',
}: AuthorizationParams) {
  const { InvalidRequestError } = getLibrary();
  if (code_challenge_method !== 'S256') throw new InvalidRequestError('code_challenge_method: it must be S256.');
  if (!/^[\w-]{43}$/.test(code_challenge))
    throw new InvalidRequestError('code_challenge: it must be 43 characters of base64url.');
  if (response_mode !== 'query') throw new InvalidRequestError('response_mode: it must be query.');
}

async function storeCode(
  ctx: PublicCtx<TokenHashing>,
  { authorizationCode, redirectUri, scope, codeChallenge = '' }: Omit<LibraryCode, 'client' | 'user'>,
  application: ApplicationRow,
  user: User,
): Promise<void> {
  await insertCode(ctx.db, {
    realm_id: ctx.realm.id,
    hash: ctx.server.tokenHashOf(authorizationCode),
    application_id: application.id,
    user_id: user.id,
    scopes: (scope ?? []) as ApplicationRow['scopes'],
    redirect_uri: redirectUri,
    code_challenge: codeChallenge,
    expires_at: new Date(ctx.now.getTime() + bounds.authorization_code),
  });
}

/** The user, locked, if the account can have one more token. */
async function requireActiveUser(ctx: PublicCtx<CollectionLimiting>, user_id: number): Promise<User> {
  const { user } = await lockAccount(ctx, user_id);
  if (!user.is_active) fail('USER_DEACTIVATED', 'This account has been deactivated.');
  await precheckRoom({ ...ctx, me: user }, 'tokens', 1);
  return user;
}
