import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { Logger } from '../../../core/log.ts';
import { type Engine, transact, withSavepoint } from '../../../core/transaction.ts';
import { sendDirectAsNotificationBot, sendMessage } from '../../messages/index.ts';
import { findRealmById, presentRealm, type ServerAddress } from '../../realm/index.ts';
import { listUsersByIds } from '../../users/index.ts';
import { renderFailureNotice } from '../notices.ts';
import { presentScheduled, toRecipients } from '../present.ts';
import {
  claimDue,
  listDue,
  postpone,
  type ScheduledMessageKey,
  type ScheduledMessageRow,
  updateScheduled,
} from '../queries.ts';
import { isTooLate } from '../rules.ts';

/** The number of messages of one run. The next run follows at once if there are more. */
const BATCH = 100;
/** Milliseconds until a message is retried after the server failed. */
const PAUSE = 10_000;

type Deliverer = Engine & { readonly serverAddress: ServerAddress; readonly log: Logger };

/**
 * Sends the messages that are due, each in a transaction of its own. Several processes can do so at once, and any of
 * them can die: the process that has locked a message's row sends it, marks it as sent and emits its events in one
 * commit.
 */
export async function deliverDue(engine: Deliverer): Promise<'more' | undefined> {
  const due = await listDue(engine.database.db, engine.clock(), BATCH);
  let done = 0;
  for (const key of due) if (await deliverOne(engine, key)) done++;
  return done > 0 && due.length === BATCH ? 'more' : undefined;
}

/** Returns false when another process is delivering it. */
async function deliverOne(engine: Deliverer, key: ScheduledMessageKey): Promise<boolean> {
  const row = await findRealmById(engine.database.db, key.realm_id);
  if (!row || row.deactivated_at !== null) return false;
  const caller = { realm: presentRealm(engine.serverAddress, row), me: undefined, client: 'Parley' };
  try {
    return await transact(engine, caller, (ctx) => deliver(ctx, key));
  } catch (error) {
    // A failure of the server with one message does not stop the others.
    engine.log.error({ scheduled_message_id: key.id, err: error }, 'a scheduled message could not be tried');
    const now = engine.clock();
    await postpone(engine.database.db, key, now, new Date(now.getTime() + PAUSE));
    return true;
  }
}

async function deliver(ctx: Ctx<CollectionLimiting>, key: ScheduledMessageKey): Promise<boolean> {
  const row = await claimDue(ctx.db, key, ctx.now);
  if (!row) return false;
  const [author] = await listUsersByIds(ctx.db, ctx.realm.id, [row.user_id]);
  if (!author) throw new Error('unreachable');
  const asAuthor: Ctx<CollectionLimiting> = { ...ctx, me: author, client: row.client };
  const problem =
    outOfQuestion(ctx, row, author) ?? (await withSavepoint(asAuthor, (inside) => send(inside, row)))?.message;
  if (problem === undefined) await noteSent(asAuthor, row);
  else await noteFailed(asAuthor, row, problem);
  return true;
}

function outOfQuestion({ now }: Ctx, row: ScheduledMessageRow, author: User): string | undefined {
  if (!author.is_active) return 'Its author is deactivated.';
  return isTooLate(row, now) ? 'The server could not send it in time.' : undefined;
}

async function send(ctx: Ctx<CollectionLimiting>, row: ScheduledMessageRow): Promise<void> {
  const { type, content, topic, read_by_sender, client } = row;
  const to = toRecipients(row);
  await sendMessage(ctx, { type, to, content, read_by_sender, client, ...(topic !== null && { topic }) });
}

/** From now on the text is stored with the message, and deleted with it. */
async function noteSent(ctx: Ctx, row: ScheduledMessageRow): Promise<void> {
  await updateScheduled(ctx.db, row, { sent_at: ctx.now, content: '', rendered_content: '' });
  ctx.emit({ type: 'scheduled_messages', op: 'remove', scheduled_message_id: row.id }, { users: [row.user_id] });
}

async function noteFailed(ctx: Ctx, row: ScheduledMessageRow, failure_message: string): Promise<void> {
  const failed = await updateScheduled(ctx.db, row, { failure_message });
  ctx.emit(
    { type: 'scheduled_messages', op: 'update', scheduled_message: presentScheduled(failed) },
    { users: [row.user_id] },
  );
  if (!ctx.me.is_active) return;
  const content = renderFailureNotice(failed, failure_message);
  await sendDirectAsNotificationBot(ctx, [{ to: ctx.me, content }], { users: [], streams: [] });
}
