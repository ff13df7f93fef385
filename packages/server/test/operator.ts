import type { App } from '../src/app.ts';
import type { PublicCtx } from '../src/core/context.ts';
import type { Server } from '../src/core/server.ts';
import { transact } from '../src/core/transaction.ts';
import { emitRestart } from '../src/features/event-log/index.ts';
import { sendMessage } from '../src/features/messages/actions/send.ts';
import { findRealmBySubdomain, presentRealm } from '../src/features/realm/index.ts';
import { deactivateRealm, reactivateRealm } from '../src/features/realm-admin/index.ts';
import { deliverDue } from '../src/features/scheduled-messages/index.ts';
import { sweepUploads } from '../src/features/uploads/index.ts';
import { createUser, deactivateUser, updateCanCreateUsers } from '../src/features/user-admin/index.ts';

type Work = (ctx: PublicCtx<Server>, params: Record<string, unknown>) => Promise<void>;

/** Commands that only an operator runs, for examples that need them. */
const works: Record<string, Work> = {
  deactivateUser: (ctx, { user_id }) => deactivateUser(ctx, Number(user_id)),
  allowCreatingUsers: (ctx, { user_id }) => updateCanCreateUsers(ctx, Number(user_id), true),
  deactivateRealm: (ctx) => deactivateRealm(ctx),
  reactivateRealm: (ctx) => reactivateRealm(ctx),
  age: (ctx, { message_id, days }) => age(ctx, Number(message_id), Number(days)),
  makeDue: (ctx) => makeDue(ctx),
  createCrowd: (ctx, { people }) => createCrowd(ctx, Number(people)),
};

/** Changes of the whole server. */
const operatorActions: Record<string, (app: App, params: Record<string, unknown>) => Promise<unknown>> = {
  restart: (app) => emitRestart(app),
  sweepFiles: (app, { days }) => sweepUploads({ ...app, clock: () => later(app.clock(), Number(days)) }),
};

const later = (now: Date, days: number) => new Date(now.getTime() + days * 24 * 3600 * 1000);

/** Runs it in the demo organization. */
export async function operate(app: App, operation: string, params: Record<string, unknown> = {}): Promise<void> {
  const operatorAction = operatorActions[operation];
  if (operatorAction) {
    await operatorAction(app, params);
    return;
  }
  const work = works[operation];
  const row = await findRealmBySubdomain(app.database.db, '');
  if (!work || !row) throw new Error(`An operator cannot ${operation}`);
  const realm = presentRealm(app.serverAddress, row);
  await transact(app, { realm, me: undefined, client: 'ParleyTest' }, (ctx) => work(ctx, params));
  await deliverDue(app);
}

/** Makes a message older than it is. */
async function age(ctx: PublicCtx<Server>, message_id: number, days: number): Promise<void> {
  await ctx.db.execute(
    `update messages set sent_at = sent_at - interval '${days} days' where realm_id = ${ctx.realm.id} and id = ${message_id}`,
  );
}

/** Brings the time of all scheduled messages near, as if somebody had waited. */
async function makeDue(ctx: PublicCtx<Server>): Promise<void> {
  await ctx.db.execute(
    `update scheduled_messages set deliver_at = '${ctx.now.toISOString()}', attempt_at = '${ctx.now.toISOString()}' where realm_id = ${ctx.realm.id}`,
  );
}

/** Makes people who are in the default stream and each of whom has written in the topic `crowd`. */
async function createCrowd(ctx: PublicCtx<Server>, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    const me = await createUser(ctx, { email: `extra${n}@example.com`, full_name: `Extra ${n}`, role: 400 });
    await sendMessage({ ...ctx, me }, { type: 'stream', to: 'general', topic: 'crowd', content: 'Here.' });
  }
}
