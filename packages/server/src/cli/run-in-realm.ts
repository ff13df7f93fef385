import type { App } from '../app.ts';
import type { PublicCtx, Realm } from '../core/context.ts';
import { failUnknown } from '../core/errors.ts';
import type { Server } from '../core/server.ts';
import { transact } from '../core/transaction.ts';
import { findRealmBySubdomain, presentRealm } from '../features/realm/index.ts';

/** The operator, who acts without an account and can do everything. */
export const operatorCaller = { realm: undefined, me: undefined, client: 'Parley' } as const;

export async function requireRealm(app: App, subdomain: string): Promise<Realm> {
  const row = await findRealmBySubdomain(app.database.db, subdomain);
  return row
    ? presentRealm(app.serverAddress, row)
    : failUnknown(`There is no organization at the subdomain "${subdomain}".`);
}

/** Does something in an organization as its operator: one transaction, with the same events as through the API. */
export async function runInRealm<T>(
  app: App,
  subdomain: string,
  work: (ctx: PublicCtx<Server>) => Promise<T>,
): Promise<T> {
  const realm = await requireRealm(app, subdomain);
  // Without `me`, actions treat the caller as the operator.
  return transact(app, { ...operatorCaller, realm }, work);
}
