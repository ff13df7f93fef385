// Token revocation (RFC 7009), which the library does not implement.
import type { PublicCtx } from '../../../core/context.ts';
import type { TokenHashing } from '../../../core/credentials.ts';
import type { PollEnding } from '../../../core/polls.ts';
import { findTokenForUpdate, type TokenRow } from '../../tokens/index.ts';
import { type ApplicationRow, findApplicationToken } from '../queries.ts';
import { endApplicationTokens } from '../tokens.ts';
import { authenticateClient } from './clients.ts';
import type { OAuthForm, OAuthResponse } from './exchange.ts';
import { isRefreshToken, lockFamily } from './refresh-tokens.ts';

/** Ends a token of an application, whether it names it by its secret or by its refresh token. One that is unknown has ended already. */
export async function revokeTokens(ctx: PublicCtx<PollEnding & TokenHashing>, form: OAuthForm): Promise<OAuthResponse> {
  const { client_id = '', client_secret, token } = form;
  const application = await authenticateClient(ctx, client_id, client_secret);
  if (!application) return toError(401, 'invalid_client', 'The application is unknown, or its secret is wrong.');
  if (token === undefined) return toError(400, 'invalid_request', 'token: it is missing.');
  const found = isRefreshToken(token)
    ? (await lockFamily(ctx, application, token))?.token
    : await lockToken(ctx, application, token);
  if (found) await endApplicationTokens(ctx, [found]);
  return { status: 200, body: {} };
}

const toError = (status: number, error: string, error_description: string): OAuthResponse => ({
  status,
  body: { error, error_description },
});

async function lockToken(
  ctx: PublicCtx<TokenHashing>,
  application: ApplicationRow,
  secret: string,
): Promise<TokenRow | undefined> {
  const seen = await findApplicationToken(ctx.db, ctx.realm.id, ctx.server.tokenHashesOf(secret));
  const token = seen && (await findTokenForUpdate(ctx.db, seen));
  return token?.application_id === application.id ? token : undefined;
}
