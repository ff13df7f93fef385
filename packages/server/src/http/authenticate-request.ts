// Who asks, and whether they may: organization, credentials, rate limit, role gate, in this order (behaviour 1.4).
import { operations } from '@parley/openapi';
import type { Request, RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import type { AddressCounter, Realm, User } from '../core/context.ts';
import type { OperationId } from '../core/contract.ts';
import { fail } from '../core/errors.ts';
import { toNetwork } from '../core/network.ts';
import {
  authenticate,
  type BasicCredentials,
  findCaller,
  INCOMING_WEBHOOK,
  readCredentials,
} from '../features/auth/index.ts';
import { isAdministrator, isGuest, parseSubdomain, presentRealm } from '../features/realm/index.ts';
import { countAsAccount, waitForTurn } from './admission/index.ts';
import { toAccountOwner } from './byte-quota.ts';
import { getCall } from './call.ts';
import { clientName } from './client-name.ts';
import { requireOwnSite } from './own-site.ts';
import { countRequest, failSpentCaller } from './rate-limit.ts';
import { toCaller } from './spent-callers.ts';
import { unreadError } from './unread-responses.ts';

export function authenticateRequest(app: App): RequestHandler {
  return async (req, res, next) => {
    const call = getCall(req);
    const { auth, realm: needs, limit } = operations[call.id];
    const subdomain = parseSubdomain(req.headers.host, app.place.base_domain);
    const credentials = auth === 'user' ? readCredentials(req.headers.authorization) : undefined;
    const caller = credentials && toCaller(req, limit);
    requireOwnSite(app, req, subdomain === undefined ? [] : app.organizationOrigins.find(subdomain));
    // Limits come before the database: a caller that has used up its own costs no statement.
    if (caller === undefined) await countRequest(app, res, { ip: req.ip, counter: counterOf(call.id) });
    else failSpentCaller(app, res, caller);
    const sender = { caller, subdomain };
    if (!(await waitForTurn(app.admission, req, sender))) return;
    const { realm, account } = await lookUp(app, subdomain, credentials);
    requireOwnSite(app, req, realm?.settings.allowed_origins ?? []);
    const client = clientName(req.headers['user-agent']);
    // Where no organization is needed, the bare base domain will do, but not the name of one that does not exist.
    if (!realm && (needs !== 'optional' || subdomain)) {
      if (caller !== undefined) await countRequest(app, res, { ip: req.ip, counter: 'failures' }, caller);
      fail('NONEXISTENT_SUBDOMAIN', 'There is no organization at this address.');
    }
    const me =
      realm && auth === 'user'
        ? await withFailuresCounted(app, req, res, caller, () => authenticate(app, realm, account, credentials))
        : undefined;
    if (me) await countAsAccount(app.admission, req, sender, me);
    if (me) await countRequest(app, res, { user: me, bucket: limit }, caller);
    if (me) failIfUnread(app, me);
    if (realm?.deactivated && needs !== 'optional') {
      fail('REALM_DEACTIVATED', 'This organization has been deactivated.');
    }
    if (me) gate(call.id, me);
    call.caller = { realm, me, client, network: toNetwork(req.ip) };
    next();
  };
}

interface Found {
  readonly realm?: Realm;
  readonly account: User | null;
}

async function lookUp(app: App, subdomain: string | undefined, credentials: BasicCredentials): Promise<Found> {
  if (subdomain === undefined || !/^[\x20-\x7e]*$/.test(subdomain)) return { account: null };
  const found = await findCaller(app.database.db, subdomain, credentials?.email);
  const realm = found && presentRealm(app.place, found.realm);
  app.organizationOrigins.remember(subdomain, realm);
  return realm ? { realm, account: found.account } : { account: null };
}

/** What a request without credentials counts as: `fetch_api_key` is the one operation that brings a password instead. */
const counterOf = (id: OperationId): AddressCounter => (id === 'fetchApiKey' ? 'logins' : 'reads');

/**
 * Checks credentials. Wrong ones are counted by address after the check, so a client with the right key is never refused for what
 * others behind its address do.
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

/** Refuses an account that has as much unread as it may, before anything is done for it. */
function failIfUnread(app: App, me: User): void {
  const error = unreadError(app, toAccountOwner(me), 1);
  if (error) throw error;
}

/** What a role may not do at all (behaviour 3.7). The document says it of each operation as `x-roles`. */
function gate(id: OperationId, me: User): void {
  const operation: { refuses: readonly string[]; requires: string | null; permission: string | null } = operations[id];
  if (me.bot_type === INCOMING_WEBHOOK && id !== 'sendMessage') {
    fail('UNAUTHORIZED', 'An incoming webhook can only send messages.');
  }
  if (operation.refuses.includes('guest') && isGuest(me)) fail('BAD_REQUEST', 'Guests cannot do this.');
  if (operation.refuses.includes('bot') && me.bot_type !== null) fail('BAD_REQUEST', 'Bots cannot do this.');
  if (operation.requires === 'bot' && me.bot_type === null) fail('BAD_REQUEST', 'Only bots can do this.');
  if (operation.requires === 'administrator' && !isAdministrator(me)) {
    fail('UNAUTHORIZED_PRINCIPAL', 'You must be an organization administrator to do this.');
  }
  if (operation.permission === 'can_create_users' && !me.can_create_users) {
    fail('BAD_REQUEST', 'You lack the permission can_create_users, which the operator of the server gives.');
  }
}
