// Messages that are kept no longer than their stream, or else the organization, says.
import type { PublicCtx, Realm } from '../../core/context.ts';
import { bounds } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { abortAndRetry, type Engine, transact } from '../../core/transaction.ts';
import { deleteMessages, emitDeleted } from '../message-deletion/index.ts';
import { writeTopicEventLists } from '../message-edits/index.ts';
import { lockConversations, lockTopics } from '../messages/index.ts';
import { findCurrentSettings } from '../realm/index.ts';
import {
  countExpiredIn,
  type ExpiredConversation,
  findRetention,
  listDueConversations,
  listOldest,
  type OldMessage,
} from './queries.ts';
import { countExpired, getCutoff } from './rules.ts';

/** Conversations that are looked up at once. */
const PAGE = 100;

/** The expired messages of a conversation. */
export interface ExpiredMessages extends ExpiredConversation {
  readonly messages: number;
  /** When the oldest of them was sent: UNIX time in milliseconds. */
  readonly oldest: number;
}

const dueIn = async (
  { database, clock }: Engine,
  { id: realm_id }: Realm,
  after: number,
): Promise<ExpiredConversation[]> => {
  const { message_retention_days: days } = await findCurrentSettings(database.db, realm_id);
  return listDueConversations(database.db, { realm_id, days, now: clock(), after }, PAGE);
};

/** What `deleteExpiredMessages` would delete now. */
export async function listExpired(engine: Engine, realm: Realm): Promise<ExpiredMessages[]> {
  const found: ExpiredMessages[] = [];
  let after = 0;
  for (;;) {
    const due = await dueIn(engine, realm, after);
    for (const counted of await countExpiredIn(engine.database.db, realm.id, due, engine.clock())) {
      const conversation = due.find(({ conversation_id }) => conversation_id === counted.conversation_id);
      if (conversation) found.push({ ...conversation, ...counted });
    }
    const last = due.at(-1);
    if (last === undefined || due.length < PAGE) return found;
    after = last.conversation_id;
  }
}

type OnDelete = (removed: ExpiredMessages) => void;

/**
 * Deletes the expired messages of an organization, one conversation after the other, and emits an event for each batch.
 * Returns false if the time limit ended it early.
 */
export async function deleteExpiredMessages(
  engine: Engine,
  realm: Realm,
  onDelete: OnDelete,
  deadline = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  let after = 0;
  for (;;) {
    const due = await dueIn(engine, realm, after);
    for (const conversation of due) {
      if (!(await removeFrom(engine, realm, conversation, onDelete, deadline))) return false;
      after = conversation.conversation_id;
    }
    if (due.length < PAGE) return true;
  }
}

/**
 * Deletes the batches of one conversation. Each is a transaction of its own, so that other requests wait for at most
 * one. Each begins where the one before ended: otherwise it would skip all the deleted entries that the index still
 * has.
 */
async function removeFrom(
  engine: Engine,
  realm: Realm,
  conversation: ExpiredConversation,
  onDelete: OnDelete,
  deadline: number,
): Promise<boolean> {
  const caller = { realm, me: undefined, client: 'Parley' };
  let from = 0;
  for (;;) {
    const since = performance.now();
    if (since >= deadline) return false;
    const old = await transact(engine, caller, (ctx) => removeBatch(ctx, conversation.conversation_id, from));
    const [oldest] = old;
    if (oldest) onDelete({ ...conversation, messages: old.length, oldest: oldest.sent_at });
    if (old.length < bounds.deletion_batch) return true;
    from = (old.at(-1) as OldMessage).id + 1;
    await engine.server.throttle(since);
  }
}

/** Deletes the oldest messages from that id on, if they are expired by the settings of that moment. */
async function removeBatch(ctx: PublicCtx, conversation_id: number, from: number): Promise<OldMessage[]> {
  const { db, realm, now } = ctx;
  const oldest = { realm_id: realm.id, conversation_id, from };
  const topics = topicsOf(await listOldest(db, oldest, bounds.deletion_batch));
  await lockTopics(db, realm.id, [...topics.keys()]);
  await lockConversations(db, realm.id, [conversation_id]);
  const keeping = await findRetention(db, realm.id, conversation_id);
  // Locked: after an event that prolongs retention, no message can be deleted by the old rule.
  const { message_retention_days } = await findCurrentSettings(db, realm.id, 'share');
  const cutoff = keeping && getCutoff(keeping.days ?? message_retention_days, now);
  if (!keeping || !cutoff) return [];
  const found = await listOldest(db, oldest, bounds.deletion_batch);
  const old = found.slice(0, countExpired(found, cutoff));
  const deletedTopics = topicsOf(old);
  if ([...deletedTopics.keys()].some((id) => !topics.has(id)))
    abortAndRetry('Another request moved messages into the conversation meanwhile.');
  if (old.length === 0) return [];
  await writeTopicEventLists(db, realm.id, [...deletedTopics.keys()]);
  const ids = old.map(({ id }) => id);
  for (const some of await deleteMessages(db, realm.id, ids)) {
    const topic = some.topic_id === null ? null : (deletedTopics.get(some.topic_id) ?? '');
    await emitDeleted(ctx, some, { conversation_id, topic, isProtected: keeping.is_protected });
  }
  return old;
}

/** The names of their topics, by id. */
function topicsOf(messages: readonly OldMessage[]): Map<number, string> {
  return new Map(messages.flatMap(({ topic_id, topic }) => (topic_id === null ? [] : [[topic_id, topic ?? '']])));
}

type Remover = Engine & { readonly log: Logger };

/** Milliseconds of one run of the job. The next run follows at once if there is more. */
const RUN = 5000;

/** Deletes the expired messages of these organizations. A failure in one organization does not stop the others. */
export async function deleteAllExpiredMessages(engine: Remover, realms: readonly Realm[]): Promise<'more' | undefined> {
  const deadline = performance.now() + RUN;
  for (const realm of realms) {
    try {
      if (!(await deleteExpiredMessages(engine, realm, () => {}, deadline))) return 'more';
    } catch (error) {
      engine.log.error(
        { realm_id: realm.id, err: error },
        'messages that are not kept any longer could not be removed',
      );
    }
  }
  return undefined;
}
