// Authenticates and authorizes a request: organization, credentials, rate limit and role, in this order
// (docs/behaviour/requests.md#order-of-checks).
import { operations } from '@parley/openapi';
import type { Request, RequestHandler, Response } from 'express';
import { isAdministrator, isGuest } from '../access/roles.ts';
import type { App } from '../app.ts';
import type { Realm, User } from '../core/context.ts';
import type { OperationId } from '../core/contract.ts';
import { fail, failForbidden } from '../core/errors.ts';
import { toNetwork } from '../core/network.ts';
import type { AddressCounter } from '../core/rate-limits.ts';
import type { Caller } from '../core/transaction.ts';
import {
  authenticate,
  type BasicCredentials,
  type FoundCaller,
  findCaller,
  INCOMING_WEBHOOK,
  readCredentials,
} from '../features/auth/index.ts';
import { failUnknownOrganization, parseSubdomain, presentRealm } from '../features/realm/index.ts';
import {
  authenticateToken,
  findTokenCaller,
  listHashes,
  readToken,
  recordTokenUse,
  type TokenRow,
} from '../features/tokens/index.ts';
import { countAsAccount, hasWaited, waitForTurn } from './admission/index.ts';
import { getCall } from './call.ts';
import { clientName } from './client-name.ts';
import { requireOwnSite } from './own-site.ts';
import { countRequest, failSpentCaller } from './rate-limit.ts';
import { toCaller } from './spent-callers.ts';
import { requireScope } from './token-limits.ts';
import { failIfUnread } from './unread-responses.ts';

export function authenticateRequest(app: App): RequestHandler {
  return async (req, res, next) => {
    const call = getCall(req);
    const { auth, realm: needs, limit } = operations[call.id];
    const subdomain = parseSubdomain(req.headers.host, app.serverAddress.base_domain);
    const credentials = auth === 'user' ? readLogin(req.headers.authorization) : undefined;
    const caller = credentials && toCaller(req, limit);
    requireOwnSite(app, req, subdomain === undefined ? [] : app.organizationOrigins.find(subdomain));
    // Rate limits come before the database: a caller that has used up its limit costs no statement.
    if (caller === undefined) await countRequest(app, res, { ip: req.ip, counter: counterOf(call.id) });
    else failSpentCaller(app, res, caller);
    const sender = { caller, subdomain };
    if (!(await waitForTurn(app.admission, req, sender))) return;
    const found = await lookUp(app, subdomain, credentials);
    const { realm, token } = found;
    requireOwnSite(app, req, realm?.settings.allowed_origins ?? []);
    const client = clientName(req.headers['user-agent']);
    // Without a required organization, the bare base domain is accepted, but not the subdomain of an unknown
    // organization.
    if (!realm && (needs !== 'optional' || subdomain)) {
      if (caller !== undefined) await countRequest(app, res, { ip: req.ip, counter: 'failures' }, caller);
      failUnknownOrganization(app.serverAddress);
    }
    const me =
      realm && auth === 'user'
        ? await withFailuresCounted(app, req, res, caller, () => authenticateLogin(app, realm, found, credentials))
        : undefined;
    if (me) await countAsAccount(app.admission, req, sender, { me, token_id: token?.id ?? null });
    if (me) await countRequest(app, res, { user: me, bucket: limit }, caller);
    if (me) failIfUnread(app, me);
    authorize(call.id, { realm, me, token });
    if (token) await recordTokenUse({ db: app.database.db, now: app.clock() }, token);
    call.caller = { realm, me, client, token, network: toNetwork(req.ip) };
    next();
  };
}

/**
 * Checks the credentials, the organization and the role of a request again if it has waited: an account that was deactivated, or
 * lost its key or its role meanwhile, must not act.
 */
export async function refreshCaller(app: App, req: Request): Promise<void> {
  const call = getCall(req);
  if (!hasWaited(req) || !call.caller?.me) return;
  const login = readLogin(req.headers.authorization);
  const found = await lookUp(app, parseSubdomain(req.headers.host, app.serverAddress.base_domain), login);
  const { realm, token } = found;
  if (!realm) return failUnknownOrganization(app.serverAddress);
  const me = authenticateLogin(app, realm, found, login);
  authorize(call.id, { realm, me, token });
  call.caller = { ...call.caller, realm, me, token };
}

/** Checks whether a caller whose credentials are valid may call the operation at all. */
function authorize(id: OperationId, { realm, me, token }: Pick<Caller, 'realm' | 'me'> & Pick<Found, 'token'>): void {
  if (realm?.deactivated && operations[id].realm !== 'optional') {
    fail('REALM_DEACTIVATED', 'This organization has been deactivated.');
  }
  if (token) requireScope(id, token);
  if (me) checkRole(id, me);
}

/** A token, or an email with an API key; undefined: the request has neither, or none that can be parsed. */
type Login = { readonly token: string } | BasicCredentials;

function readLogin(header: string | undefined): Login {
  const token = readToken(header);
  return token === undefined ? readCredentials(header) : { token };
}

interface Found extends FoundCaller {
  readonly token?: TokenRow | undefined;
}

function authenticateLogin(app: App, realm: Realm, { account, token }: Found, login: Login): User {
  return login && 'token' in login
    ? authenticateToken(app, realm, { account, token: token ?? null }, login.token)
    : authenticate(app, realm, account, login);
}

async function lookUp(app: App, subdomain: string | undefined, login: Login): Promise<Found> {
  if (subdomain === undefined || !/^[\x20-\x7e]*$/.test(subdomain)) return { account: null };
  if (login && 'email' in login) {
    return app.rememberedCallers.findOrRead(subdomain, login.email, () => readCaller(app, subdomain, login));
  }
  return readCaller(app, subdomain, login);
}

async function readCaller(app: App, subdomain: string, login: Login): Promise<Found> {
  const found = await findLogin(app, subdomain, login);
  const realm = found && presentRealm(app.serverAddress, found.realm);
  app.organizationOrigins.remember(subdomain, realm);
  return realm
    ? { realm, account: found.account, token: found.token ?? undefined, version: found.version }
    : { account: null };
}

/** One statement, whatever the credentials. */
async function findLogin({ database: { db }, secrets }: App, subdomain: string, login: Login) {
  if (login && 'token' in login) {
    const found = await findTokenCaller(db, subdomain, listHashes(secrets, login.token));
    return found && { ...found, version: undefined };
  }
  const found = await findCaller(db, subdomain, login?.email);
  return found && { ...found, token: undefined };
}

/** The bucket of a request without credentials: `fetch_api_key` is the one operation that takes a password instead. */
const counterOf = (id: OperationId): AddressCounter => (id === 'fetchApiKey' ? 'logins' : 'reads');

/**
 * Checks credentials. Wrong ones are counted by address after the check, so a client with a valid key never fails because
 * of other clients behind its address.
 */
async function withFailuresCounted(
  app: App,
  req: Request,
  res: Response,
  caller: string | undefined,
  check: () => User,
): Promise<User> {
  try {
    return check();
  } catch (error) {
    if (caller !== undefined) await countRequest(app, res, { ip: req.ip, counter: 'failures' }, caller);
    throw error;
  }
}

/**
 * Checks what a role cannot do at all (docs/behaviour/roles.md#operations-by-role). The document declares it for each
 * operation as `x-roles`.
 */
function checkRole(id: OperationId, me: User): void {
  const operation: { refuses: readonly string[]; requires: string | null; permission: string | null } = operations[id];
  if (me.bot_type === INCOMING_WEBHOOK && id !== 'sendMessage') {
    fail('UNAUTHORIZED', 'An incoming webhook can only send messages.');
  }
  if (operation.refuses.includes('guest') && isGuest(me)) failForbidden('Guests cannot do this.');
  if (operation.refuses.includes('bot') && me.bot_type !== null) failForbidden('Bots cannot do this.');
  if (operation.requires === 'bot' && me.bot_type === null) failForbidden('Only bots can do this.');
  if (operation.requires === 'administrator' && !isAdministrator(me)) {
    fail('UNAUTHORIZED_PRINCIPAL', 'You must be an organization administrator to do this.');
  }
  if (operation.permission === 'can_create_users' && !me.can_create_users) {
    failForbidden('You lack the permission can_create_users, which the operator of the server gives.');
  }
}
