// Who asks, and whether they may: organization, credentials, rate limit, role gate, in this order (behaviour 1.4).
import { operations } from '@parley/openapi';
import type { Request, RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import type { Realm, User } from '../core/context.ts';
import type { OperationId } from '../core/contract.ts';
import { refuse } from '../core/errors.ts';
import {
  authenticate,
  type Credentials,
  findCaller,
  INCOMING_WEBHOOK,
  readCredentials,
} from '../features/auth/index.ts';
import { isAdministrator, isGuest, presentRealm, subdomainOf } from '../features/realm/index.ts';
import { callOf } from './call.ts';
import { clientName } from './client-name.ts';
import { requireOwnSite } from './own-site.ts';
import { accountOwner } from './quota.ts';
import { countRequest, refuseIfSpent } from './rate-limit.ts';
import { unreadError } from './unread-responses.ts';

export function admit(app: App): RequestHandler {
  return async (req, res, next) => {
    const call = callOf(req);
    const { auth, realm: needs } = operations[call.id];
    const subdomain = subdomainOf(req.headers.host, app.place.base_domain);
    const credentials = auth === 'user' ? readCredentials(req.headers.authorization) : undefined;
    const { realm, account } = await lookUp(app, subdomain, credentials);
    const client = clientName(req.headers['user-agent']);
    // Where no organization is needed, the bare base domain will do, but not the name of one that does not exist.
    if (!realm && (needs !== 'optional' || subdomain)) {
      await countRequest(app, res, { ip: req.ip ?? '' });
      refuse('NONEXISTENT_SUBDOMAIN', 'There is no organization at this address.');
    }
    const me =
      realm && auth === 'user'
        ? await userOf(app, req, res, () => {
            requireOwnSite(req, realm);
            return authenticate(app.secret, realm, account, credentials);
          })
        : undefined;
    if (me) await countRequest(app, res, { user: me, bucket: operations[call.id].limit });
    else await countRequest(app, res, { ip: req.ip ?? '' });
    if (me) refuseUnread(app, me);
    if (realm?.deactivated && needs !== 'optional') {
      refuse('REALM_DEACTIVATED', 'This organization has been deactivated.');
    }
    if (me) gate(call.id, me);
    call.caller = { realm, me, client };
    next();
  };
}

interface Found {
  readonly realm?: Realm;
  readonly account: User | null;
}

async function lookUp(app: App, subdomain: string | undefined, credentials: Credentials): Promise<Found> {
  if (subdomain === undefined || !/^[\x20-\x7e]*$/.test(subdomain)) return { account: null };
  const found = await findCaller(app.database.db, subdomain, credentials?.email);
  return found ? { realm: presentRealm(app.place, found.realm), account: found.account } : { account: null };
}

async function userOf(app: App, req: Request, res: Response, check: () => User): Promise<User> {
  // Guessing keys is limited by address, and a spent limit is told before the guess is looked at.
  await refuseIfSpent(app, res, req.ip ?? '');
  try {
    return check();
  } catch (error) {
    await countRequest(app, res, { ip: req.ip ?? '' });
    throw error;
  }
}

/** Refuses an account that has as much unread as it may, before anything is done for it. */
function refuseUnread(app: App, me: User): void {
  const error = unreadError(app, accountOwner(me), 1);
  if (error) throw error;
}

/** What a role may not do at all (behaviour 3.7). The document says it of each operation as `x-roles`. */
function gate(id: OperationId, me: User): void {
  const operation: { refuses: readonly string[]; requires: string | null; permission: string | null } = operations[id];
  if (me.bot_type === INCOMING_WEBHOOK && id !== 'sendMessage') {
    refuse('UNAUTHORIZED', 'An incoming webhook can only send messages.');
  }
  if (operation.refuses.includes('guest') && isGuest(me)) refuse('BAD_REQUEST', 'Guests cannot do this.');
  if (operation.refuses.includes('bot') && me.bot_type !== null) refuse('BAD_REQUEST', 'Bots cannot do this.');
  if (operation.requires === 'administrator' && !isAdministrator(me)) {
    refuse('UNAUTHORIZED_PRINCIPAL', 'You must be an organization administrator to do this.');
  }
  if (operation.permission === 'can_create_users' && !me.can_create_users) {
    refuse('BAD_REQUEST', 'You lack the permission can_create_users, which the operator of the server gives.');
  }
}
