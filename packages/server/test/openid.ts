// A real provider of OpenID Connect, and one with false responses of a test's choice.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

export const CLIENT = { client_id: 'parley', client_secret: 'the secret of the client at the provider' };

export interface Somebody {
  readonly email?: string | undefined;
  readonly email_verified?: boolean | string | undefined;
  readonly name?: string | undefined;
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function shut(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

/** Logs in the user of `as`, without asking. */
export async function startOpenId(redirect_uris: string[]) {
  let loggedIn = { id: 'nobody', claims: {} as Somebody };
  let answer: (req: IncomingMessage, res: ServerResponse) => void = () => {};
  const server = createServer((req, res) => answer(req, res));
  const issuer = await listening(server);
  const known = new Map<string, Somebody>();
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris, grant_types: ['authorization_code'], response_types: ['code'] }],
    pkce: { required: () => true },
    cookies: { keys: ['a key for the cookies of the provider'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id, ...known.get(id) }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: CLIENT.client_id, accountId: oidc.session?.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  answer = (req, res) => {
    if (!req.url?.startsWith('/interaction/')) return void handle(req, res);
    const result = loggedIn.id === '' ? { error: 'access_denied' } : { login: { accountId: loggedIn.id } };
    provider.interactionFinished(req, res, result).catch((error: unknown) => res.writeHead(500).end(String(error)));
  };
  let userCount = 0;
  return {
    issuer,
    /** The next user to log in; without one, the login is cancelled. */
    as(claims: Somebody | undefined) {
      loggedIn = { id: claims ? `person-${userCount++}` : '', claims: claims ?? {} };
      if (claims) known.set(loggedIn.id, claims);
    },
    close: () => shut(server),
  };
}

export type OpenId = Awaited<ReturnType<typeof startOpenId>>;

/** A provider whose ID tokens are what `lie` makes of valid claims. */
export async function startLiar() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  let lie: (claims: JWTPayload) => JWTPayload | undefined = (claims) => claims;
  let status = 200;
  const nonces = new Map<string, string>();
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  const issuer = await listening(server);
  const json = (res: ServerResponse, body: object, code = 200) =>
    res.writeHead(code, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
    const { pathname, searchParams } = new URL(req.url ?? '/', issuer);
    if (pathname === '/.well-known/openid-configuration') return json(res, metadata(issuer));
    if (pathname === '/jwks') return json(res, { keys: [{ ...(await exportJWK(publicKey)), alg: 'RS256', kid: '1' }] });
    if (pathname === '/auth') {
      const code = `code ${nonces.size}`;
      nonces.set(code, searchParams.get('nonce') ?? '');
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return res.writeHead(302, { Location: back.href }).end();
    }
    const code = new URLSearchParams(await text(req)).get('code') ?? '';
    if (status !== 200) return json(res, { error: 'server_error' }, status);
    const claims = lie({
      iss: issuer,
      sub: '1',
      aud: CLIENT.client_id,
      nonce: nonces.get(code) ?? '',
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.now() / 1000) + 60,
    });
    const id_token =
      claims && (await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: '1' }).sign(privateKey));
    return json(res, { access_token: 'an access token', token_type: 'Bearer', ...(id_token && { id_token }) });
  }
  return {
    issuer,
    lies(how: typeof lie) {
      lie = how;
    },
    fails(with_status: number) {
      status = with_status;
    },
    close: () => shut(server),
  };
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/me`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
});
