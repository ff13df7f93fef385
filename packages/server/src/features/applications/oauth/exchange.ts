// The token request: an application exchanges a code, or renews its token.

import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { PublicCtx } from '../../../core/context.ts';
import type { TokenHashing } from '../../../core/credentials.ts';
import { bounds } from '../../../core/limits.ts';
import type { PollEnding } from '../../../core/polls.ts';
import { type ApplicationRow, updateCode } from '../queries.ts';
import { isWithin } from '../rules.ts';
import { issueApplicationToken, renewApplicationToken } from '../tokens.ts';
import { authenticateClient } from './clients.ts';
import { type TakenCode, takeCode } from './codes.ts';
import {
  type AuthorizationCodeModel,
  getAccessToken,
  getLibrary,
  type LibraryClient,
  type LibraryCode,
  type LibraryToken,
  type RefreshTokenModel,
  requireOAuthError,
  toLibraryClient,
  UNEXPIRED,
} from './library.ts';
import { issueRefreshToken, renewRefreshToken, type TakenRefreshToken, takeRefreshToken } from './refresh-tokens.ts';

/** The names and values of a form, each name once. */
export type OAuthForm = Readonly<Record<string, string>>;

/** The JSON response of an OAuth endpoint. */
export interface OAuthResponse {
  readonly status: number;
  readonly body: object;
}

export const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'];

const toResponse = (error: string, error_description: string, status = 400): OAuthResponse => ({
  status,
  body: { error, error_description },
});

type Scopes = ApplicationRow['scopes'];

/**
 * Handles a token request. Its transaction is committed whatever the response is: what an invalid request has revoked
 * stays revoked.
 */
export async function exchangeTokens(
  ctx: PublicCtx<CollectionLimiting & PollEnding & TokenHashing>,
  form: OAuthForm,
): Promise<OAuthResponse> {
  const { grant_type } = form;
  // The library knows other grants, and would report them as not permitted for this application instead of unsupported.
  if (grant_type === undefined) return toResponse('invalid_request', 'grant_type: it is missing.');
  if (!GRANT_TYPES.includes(grant_type))
    return toResponse('unsupported_grant_type', `grant_type: it must be one of ${GRANT_TYPES.join(', ')}.`);
  const OAuth2Server = getLibrary();
  const { Request, Response } = OAuth2Server;
  const response = new Response();
  const server = new OAuth2Server({ model: createModel(ctx, form) });
  // The library requires a form content type.
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' };
  try {
    await server.token(new Request({ headers, method: 'POST', query: {}, body: form }), response, {
      accessTokenLifetime: bounds.application_token / 1000,
      refreshTokenLifetime: bounds.refresh_token / 1000,
      // Whether an application has to authenticate depends on the application.
      requireClientAuthentication: { authorization_code: false, refresh_token: false },
    });
    return { status: 200, body: { ...response.body, expires_in: bounds.application_token / 1000 } };
  } catch (error) {
    return toErrorResponse(error);
  }
}

function toErrorResponse(error: unknown): OAuthResponse {
  const { name, message, code } = requireOAuthError(error);
  return toResponse(name, message, name === 'invalid_client' ? 401 : code);
}

/** A model for one request, which remembers what the request has taken. */
function createModel(
  ctx: PublicCtx<CollectionLimiting & PollEnding & TokenHashing>,
  form: OAuthForm,
): AuthorizationCodeModel & RefreshTokenModel {
  let application: ApplicationRow | undefined;
  let code: TakenCode | undefined;
  let refresh: TakenRefreshToken | undefined;
  return {
    getAccessToken,
    getClient: async (id, secret) => {
      application = await authenticateClient(ctx, id, secret);
      return application && toLibraryClient(application);
    },
    validateScope: async (_user, _client, scope = []) =>
      application !== undefined && isWithin<string>(scope, application.scopes) && scope,
    getAuthorizationCode: async (presented) => {
      code = application && (await takeCode(ctx, application, presented));
      return code && application && toLibraryCode(presented, application, code);
    },
    revokeAuthorizationCode: async () => {
      if (code) await updateCode(ctx.db, code.row, { is_used: true });
      return code !== undefined;
    },
    saveAuthorizationCode: async () => false,
    getRefreshToken: async (presented) => {
      refresh = application && (await takeRefreshToken(ctx, application, presented));
      if (!refresh || !application) return false;
      return {
        refreshToken: presented,
        scope: refresh.row.scopes,
        client: toLibraryClient(application),
        user: { id: refresh.token.user_id },
      };
    },
    // `saveToken` replaces it.
    revokeToken: async () => true,
    saveToken: async ({ scope = [] }, client, user) => {
      const scopes = scope as Scopes;
      if (refresh) return toLibraryToken(await renew(ctx, refresh, scopes, form), scopes, client, user);
      if (!code || !application) return false;
      return toLibraryToken(await issue(ctx, code, application, scopes), scopes, client, user);
    },
  };
}

const toLibraryCode = (presented: string, application: ApplicationRow, { row, user }: TakenCode): LibraryCode => ({
  authorizationCode: presented,
  expiresAt: UNEXPIRED,
  redirectUri: row.redirect_uri,
  scope: row.scopes,
  client: toLibraryClient(application),
  user: { id: user.id },
  codeChallenge: row.code_challenge,
  codeChallengeMethod: 'S256',
});

interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const toLibraryToken = (issued: IssuedTokens, scope: Scopes, client: LibraryClient, user: object): LibraryToken => ({
  ...issued,
  scope,
  client,
  user,
});

async function issue(
  ctx: PublicCtx<CollectionLimiting & PollEnding & TokenHashing>,
  { row, user }: TakenCode,
  application: ApplicationRow,
  scopes: Scopes,
): Promise<IssuedTokens> {
  const { id, secret } = await issueApplicationToken(ctx, { user, application, scopes });
  await updateCode(ctx.db, row, { token_id: id });
  return { accessToken: secret, refreshToken: await issueRefreshToken(ctx, id, scopes) };
}

async function renew(
  ctx: PublicCtx<TokenHashing>,
  { token }: TakenRefreshToken,
  scopes: Scopes,
  form: OAuthForm,
): Promise<IssuedTokens> {
  const accessToken = await renewApplicationToken(ctx, token, scopes);
  return { accessToken, refreshToken: await renewRefreshToken(ctx, token, form.refresh_token ?? '') };
}
