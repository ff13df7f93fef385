// An application of a third party, on the library that such applications use, and a user with a browser who is asked to
// allow it.
import type { Calls } from '@parley/client';
import * as oauth from 'openid-client';
import { ROLE } from '../src/access/roles.ts';
import type { Realm } from '../src/core/context.ts';
import { createUser } from '../src/features/user-admin/index.ts';
import { type Chat, PASSWORD, type TestUser } from './chat.ts';
import { hostFetch } from './host-fetch.ts';

export const REDIRECT_URI = 'https://app.example.com/callback';

type NewApplication = Parameters<Calls['createApplication']>[0];
export type RegisteredApplication = Awaited<ReturnType<Calls['createApplication']>>;

let made = 0;

/** A user who can log in with `PASSWORD`. */
export async function userWithPassword(chat: Chat, name: string, role: number = ROLE.member): Promise<TestUser> {
  const number = made++;
  const newUser = { email: `${name}.${number}@example.com`, full_name: `${name} ${number}`, role, password: PASSWORD };
  return chat.person(await chat.act((ctx) => createUser(ctx, newUser)), chat.realm, false);
}

export const register = (chat: Chat, more: Partial<NewApplication> = {}): Promise<RegisteredApplication> =>
  chat.owner.api.createApplication({
    name: 'Soup Planner',
    redirect_uris: [REDIRECT_URI],
    scopes: ['read', 'write'],
    ...more,
  });

interface ThirdPartyOptions {
  readonly realm?: Realm;
  readonly port?: number;
  readonly authentication?: (secret: string) => oauth.ClientAuth;
}

/** The application as its developer would write it. */
export async function openThirdParty(
  chat: Chat,
  { application, secret }: RegisteredApplication,
  { realm = chat.realm, port = chat.port, authentication = oauth.ClientSecretBasic }: ThirdPartyOptions = {},
) {
  const fetchHere = hostFetch(port);
  const config = await oauth.discovery(
    new URL(realm.url),
    application.client_id,
    {},
    secret === null ? oauth.None() : authentication(secret),
    {
      algorithm: 'oauth2',
      execute: [oauth.allowInsecureRequests],
      [oauth.customFetch]: (url, init) => fetchHere(new Request(url, init as RequestInit)),
    },
  );
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const expectedState = oauth.randomState();
  const params = {
    redirect_uri: application.redirect_uris[0] ?? '',
    scope: application.scopes.join(' '),
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  };
  return {
    config,
    params,
    /** The URL to which the application redirects its users. */
    authorizationUrl: (more: Record<string, string> = {}): URL =>
      oauth.buildAuthorizationUrl(config, { ...params, ...more }),
    exchange: (back: URL) => oauth.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState }),
    refresh: (token: string, more?: Record<string, string>) => oauth.refreshTokenGrant(config, token, more),
    revoke: (token: string) => oauth.tokenRevocation(config, token),
    /** The same requests, written by hand, so that parts of them can be invalid. */
    postToken: (form: Record<string, string>) => postForm(chat, '/oauth/token', form, {}, port),
    verifier: pkceCodeVerifier,
  };
}

export type ThirdParty = Awaited<ReturnType<typeof openThirdParty>>;

export function postForm(
  chat: Chat,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
  port = chat.port,
): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  };
  return hostFetch(port)(new Request(`http://${chat.realm.host}:${chat.port}${path}`, init));
}

/** The decision of a user on the page of an authorization request. */
export function answerConsent(
  chat: Chat,
  url: URL,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return postForm(chat, url.pathname + url.search, form, headers);
}

/** The target of a redirect. */
export const locationOf = (response: Response): URL => new URL(response.headers.get('location') ?? 'nothing:here');

/** Logs in, allows the request, and returns the URL of the redirect back. */
export async function allow(chat: Chat, url: URL, { email }: { email: string }): Promise<URL> {
  const response = await answerConsent(chat, url, { username: email, password: PASSWORD, decision: 'allow' });
  if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`);
  return locationOf(response);
}

/** An application that a user has allowed, with its tokens. */
export async function openAllowed(chat: Chat, user: { email: string }, more: Partial<NewApplication> = {}) {
  const registered = await register(chat, more);
  const app = await openThirdParty(chat, registered);
  const tokens = await app.exchange(await allow(chat, app.authorizationUrl(), user));
  return { registered, app, tokens, api: chat.apiOf(chat.realm, { token: tokens.access_token }) };
}
