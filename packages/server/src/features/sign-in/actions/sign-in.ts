// Single sign-on: the server redirects a user to a provider, verifies the callback, and returns the API key.

import { createHash, randomBytes } from 'node:crypto';
import type { PublicCtx, Realm, User } from '../../../core/context.ts';
import type { ApiKeys } from '../../../core/credentials.ts';
import type { CallbackUrls, IdentityProvider, SignInState, VerifiedIdentity } from '../../../core/identity.ts';
import { bounds } from '../../../core/limits.ts';
import type { Sealing, SignInSealPurpose } from '../../../core/sealing.ts';
import type { Transactions } from '../../../core/server.ts';
import { encryptWithPad, findUserById, insertSignIn, type SignIn, takeSignIn } from '../../auth/index.ts';
import { type AccountLookup, findOrCreateAccount } from './find-or-create-account.ts';

/** The purpose of a sign-in. */
export interface SignInPurpose {
  /** Whether to create an account if there is none. */
  readonly registers: boolean;
  /** A client's one-time pad, with which the key is encrypted. */
  readonly otp: string | undefined;
  /** An application's authorization request, whose consent page follows: the query of that page. */
  readonly authorization: string | undefined;
}

/** Where to redirect a browser, and the token for its cookie. */
export interface ProviderRedirect {
  readonly url: string;
  readonly browser: string;
}

/** The outcome of a callback. `void`: the sign-in has expired or is unknown. */
export type SignInOutcome =
  | { readonly state: 'void' }
  | Exclude<AccountLookup, { state: 'good' }>
  /** A redirect that delivers the key to a client; only the client can decrypt it. */
  | { readonly state: 'sent'; readonly url: string }
  /** The user decides whether to show the key, or to allow an application; `grant` authorizes that request. */
  | {
      readonly state: 'good';
      readonly email: string;
      readonly grant: string;
      readonly authorization: string | undefined;
    };

const VOID = { state: 'void' } as const;
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
const newToken = (): string => randomBytes(32).toString('base64url');
const nameOf = ({ kind, id }: IdentityProvider): string => `${kind}:${id}`;

export function getCallbackUrls({ url }: Realm, { kind, id }: IdentityProvider): CallbackUrls {
  return { callback: `${url}/accounts/callback/${kind}/${id}`, metadata: `${url}/accounts/metadata/${kind}/${id}` };
}

/** Begins a sign-in: stores its state, and returns where to redirect the browser. */
export async function beginSignIn(
  ctx: PublicCtx<Sealing>,
  provider: IdentityProvider,
  purpose: SignInPurpose,
): Promise<ProviderRedirect> {
  const state = newToken();
  const browser = newToken();
  const { url, remembered } = await provider.begin(getCallbackUrls(ctx.realm, provider), state);
  await insertSignIn(ctx.db, {
    realm_id: ctx.realm.id,
    state_hash: hashOf(state),
    browser_hash: hashOf(browser),
    provider: nameOf(provider),
    remembered: ctx.server.seal('sign_in_state', ctx.realm, JSON.stringify({ ...purpose, remembered })),
    expires_at: untilOf(ctx),
  });
  return { url, browser };
}

const untilOf = ({ now }: PublicCtx): Date => new Date(now.getTime() + bounds.sign_in);

interface VerifiedCallback {
  readonly row: SignIn;
  readonly proven: VerifiedIdentity;
  readonly purpose: SignInPurpose;
}

/**
 * Claims the stored state of a sign-in, once, and verifies the callback. `browsers`: only for a browser with one of
 * these tokens.
 */
async function takeCallback(
  ctx: PublicCtx<Sealing>,
  provider: IdentityProvider,
  state: string,
  callbackParams: URLSearchParams,
  browsers?: readonly string[],
): Promise<VerifiedCallback | undefined> {
  const key = { realm_id: ctx.realm.id, state_hash: hashOf(state), provider: nameOf(provider) };
  const row = await takeSignIn(ctx.db, key, ctx.now, browsers?.map(hashOf));
  if (!row) return undefined;
  const { remembered, ...purpose } = JSON.parse(
    ctx.server.unseal('sign_in_state', ctx.realm, row.remembered),
  ) as SignInPurpose & {
    remembered: SignInState;
  };
  return {
    row,
    purpose,
    proven: await provider.verify(getCallbackUrls(ctx.realm, provider), state, remembered, callbackParams),
  };
}

/** Handles a callback by redirect, which carries the cookies of the browser. */
export async function handleCallback(
  ctx: PublicCtx<ApiKeys & Sealing & Transactions>,
  provider: IdentityProvider,
  callbackParams: URLSearchParams,
  browsers: readonly string[],
): Promise<SignInOutcome> {
  const back = await takeCallback(ctx, provider, callbackParams.get('state') ?? '', callbackParams, browsers);
  return back ? completeSignIn(ctx, back, back.row.browser_hash) : VOID;
}

/**
 * Handles a posted callback, which carries no cookies. Returns the verified identity, sealed, for a request with
 * cookies.
 */
export async function handlePostedCallback(
  ctx: PublicCtx<Sealing>,
  provider: IdentityProvider,
  callbackParams: URLSearchParams,
): Promise<string | undefined> {
  const back = await takeCallback(ctx, provider, callbackParams.get('RelayState') ?? '', callbackParams);
  if (!back) return undefined;
  const { row, proven, purpose } = back;
  return sealed(ctx, 'sign_in_arrival', { proven, purpose, browser_hash: row.browser_hash });
}

export async function completePostedSignIn(
  ctx: PublicCtx<ApiKeys & Sealing & Transactions>,
  arrival: string,
  browsers: readonly string[],
): Promise<SignInOutcome> {
  const found = opened<Pick<VerifiedCallback, 'proven' | 'purpose'>>(ctx, 'sign_in_arrival', arrival, browsers);
  return found ? completeSignIn(ctx, found, found.browser_hash) : VOID;
}

async function completeSignIn(
  ctx: PublicCtx<ApiKeys & Sealing & Transactions>,
  { proven, purpose }: Pick<VerifiedCallback, 'proven' | 'purpose'>,
  browser_hash: string,
): Promise<SignInOutcome> {
  const account = await findOrCreateAccount(ctx, proven, purpose.registers);
  if (account.state !== 'good') return account;
  const { user } = account;
  if (purpose.otp !== undefined) return { state: 'sent', url: clientUrl(ctx, user, purpose.otp) };
  const grant = sealed(ctx, 'sign_in_grant', { user_id: user.id, browser_hash });
  return { state: 'good', email: user.delivery_email, grant, authorization: purpose.authorization };
}

/** The address by which a client of this machine gets a key that it alone can read. */
function clientUrl({ realm, server }: PublicCtx<ApiKeys>, user: User, otp: string): string {
  const params = new URLSearchParams({
    otp_encrypted_api_key: encryptWithPad(server.apiKeyOf(realm, user), otp),
    email: user.delivery_email,
    user_id: String(user.id),
    realm: realm.url,
  });
  return `parley://login?${params}`;
}

/** Returns the API key, after the user has confirmed that it can be shown. */
export async function getApiKeyForGrant(
  ctx: PublicCtx<ApiKeys & Sealing>,
  grant: string,
  browsers: readonly string[],
): Promise<{ user_id: number; email: string; api_key: string } | undefined> {
  const found = opened<{ user_id: number }>(ctx, 'sign_in_grant', grant, browsers);
  const user = found && (await findUserById(ctx.db, ctx.realm.id, found.user_id));
  return user?.is_active
    ? { user_id: user.id, email: user.delivery_email, api_key: ctx.server.apiKeyOf(ctx.realm, user) }
    : undefined;
}

interface Sealed {
  readonly browser_hash: string;
  readonly until: number;
}

function sealed<T extends Pick<Sealed, 'browser_hash'>>(
  ctx: PublicCtx<Sealing>,
  purpose: SignInSealPurpose,
  content: T,
): string {
  return ctx.server.seal(purpose, ctx.realm, JSON.stringify({ ...content, until: untilOf(ctx).getTime() }));
}

/** The content that was sealed for this purpose, organization and browser, unless it has expired. */
function opened<T>(
  ctx: PublicCtx<Sealing>,
  purpose: SignInSealPurpose,
  text: string,
  browsers: readonly string[],
): (T & Sealed) | undefined {
  let found: T & Sealed;
  try {
    found = JSON.parse(ctx.server.unseal(purpose, ctx.realm, text)) as T & Sealed;
  } catch {
    return undefined;
  }
  const isCurrent = found.until > ctx.now.getTime();
  return isCurrent && browsers.map(hashOf).includes(found.browser_hash) ? found : undefined;
}
