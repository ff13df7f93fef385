// The schedule of the background jobs.
import { maintainTables } from '@parley/db';
import type { App } from '../app.ts';
import type { Realm } from '../core/context.ts';
import { transact } from '../core/transaction.ts';
import { sweepAuthorizations } from '../features/applications/index.ts';
import { deleteExpiredSignIns, deleteOldLoginNetworks } from '../features/auth/index.ts';
import { sweepQueues } from '../features/events/index.ts';
import { deleteExpiredKeys } from '../features/idempotency-keys/index.ts';
import { sendQueuedEmails } from '../features/mail/index.ts';
import { findRealmBySubdomain, presentRealm } from '../features/realm/index.ts';
import { deleteAllExpiredMessages } from '../features/retention/index.ts';
import { deliverDue } from '../features/scheduled-messages/index.ts';
import { deleteExpiredEmailChanges } from '../features/settings/index.ts';
import { sweepUploads } from '../features/uploads/index.ts';
import { listRealms } from '../features/user-admin/index.ts';
import { refreshFullMembers } from '../features/user-groups/index.ts';
import { deleteExpiredLimits } from '../http/limits/index.ts';
import type { Job } from './loop.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const jobs: readonly Job[] = [
  { name: 'deliver-scheduled-messages', every: SECOND, together: true, run: deliverDue },
  { name: 'sweep-queues', every: 60 * SECOND, run: sweepQueues },
  { name: 'deliver-letters', every: 2 * SECOND, run: sendQueuedEmails },
  {
    name: 'forget-email-changes',
    every: 10 * MINUTE,
    run: (app) => deleteExpiredEmailChanges(app.database.db, app.clock()),
  },
  { name: 'maintain-tables', every: 5 * SECOND, run: (app) => maintainTables(app.database) },
  { name: 'forget-sign-ins', every: 10 * MINUTE, run: (app) => deleteExpiredSignIns(app.database.db, app.clock()) },
  {
    name: 'sweep-authorizations',
    every: HOUR,
    run: async (app) => sweepAuthorizations(app, await activeRealms(app)),
  },
  { name: 'forget-login-networks', every: HOUR, run: (app) => deleteOldLoginNetworks(app.database.db, app.clock()) },
  { name: 'refresh-full-members', every: 10 * MINUTE, run: refreshEveryRealm },
  {
    name: 'remove-expired-messages',
    every: 10 * MINUTE,
    run: async (app) => deleteAllExpiredMessages(app, await activeRealms(app)),
  },
  { name: 'sweep-uploads', every: HOUR, run: sweepUploads },
  { name: 'forget-keys', every: 10 * MINUTE, run: (app) => deleteExpiredKeys(app.database.db, app.clock()) },
  { name: 'forget-spent-limits', every: 10 * MINUTE, run: (app) => deleteExpiredLimits(app.database.db, app.clock()) },
];

/** Members become full members with time, without a request. */
async function refreshEveryRealm(app: App): Promise<void> {
  for (const realm of await activeRealms(app))
    await transact(app, { realm, me: undefined, client: 'Parley' }, refreshFullMembers);
}

/** Deactivated organizations are skipped. */
async function activeRealms(app: App): Promise<Realm[]> {
  const realms: Realm[] = [];
  for (const { subdomain, deactivated } of await listRealms(app.database.db)) {
    const row = deactivated ? undefined : await findRealmBySubdomain(app.database.db, subdomain);
    if (row) realms.push(presentRealm(app.serverAddress, row));
  }
  return realms;
}
