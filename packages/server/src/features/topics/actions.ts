import type { Db } from '@parley/db';
import { canAccessStream, canReadStreamContent, hasProtectedHistory } from '../../access/rules.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx, PublicCtx } from '../../core/context.ts';
import type { Params, Schema } from '../../core/contract.ts';
import { failConflict, failInvalid } from '../../core/errors.ts';
import { requireRoom } from '../../core/require-room.ts';
import { stateQuery } from '../../core/state-query.ts';
import { lockStream, requireAccessibleStream, requireStreamNamed } from '../streams/index.ts';
import {
  deletePoliciesIn,
  deleteTopicPolicy,
  findTopic,
  findTopicPolicy,
  insertTopic,
  jsonTopicPolicies,
  listTopics,
  type PolicyRow,
  type SubscriptionKey,
  type Topic,
  updateTopicPolicy,
} from './queries.ts';
import { topicProblem } from './rules.ts';

type UserTopic = Schema<'UserTopic'>;
type Policy = UserTopic['visibility_policy'];

/**
 * Returns the topic of that name; creates it if there is none. When two senders create it at once, both get the same
 * topic.
 */
export async function findOrCreateTopic(
  db: Db,
  realm_id: number,
  conversation_id: number,
  name: string,
): Promise<Topic & { readonly created: boolean }> {
  const known = await findTopic(db, realm_id, conversation_id, name);
  if (known) return { ...known, created: false };
  const made = await insertTopic(db, realm_id, conversation_id, name);
  if (made) return { ...made, created: true };
  const existing = await findTopic(db, realm_id, conversation_id, name);
  if (!existing) throw new Error('A topic is neither there nor can it be made.');
  return { ...existing, created: false };
}

/** The topics of a stream whose messages the caller can see, newest first. */
export async function getTopics(ctx: Ctx, stream_id: number): Promise<Schema<'Topic'>[]> {
  const stream = await requireAccessibleStream(ctx, stream_id);
  if (!canReadStreamContent(ctx.me, stream, stream.subscribed)) return [];
  return listTopics(ctx.db, ctx.me, { stream_id: stream.id, is_protected: hasProtectedHistory(stream) });
}

interface NewPolicy {
  readonly user_id: number;
  readonly topic: Pick<Topic, 'id' | 'name'>;
  readonly stream_id: number;
  readonly visibility_policy: Policy;
}

/** Sets a user's policy for a topic, and emits it. */
export async function setTopicPolicy(
  ctx: PublicCtx,
  { user_id, topic, stream_id, visibility_policy }: NewPolicy,
): Promise<void> {
  const realm_id = ctx.realm.id;
  if (visibility_policy === 0) await deleteTopicPolicy(ctx.db, realm_id, user_id, topic.id);
  else await updateTopicPolicy(ctx.db, { realm_id, user_id, topic_id: topic.id, visibility_policy }, ctx.now);
  const last_updated = Math.floor(ctx.now.getTime() / 1000);
  ctx.emit(
    { type: 'user_topic', stream_id, topic_name: topic.name, last_updated, visibility_policy },
    { users: [user_id] },
  );
}

/** Sets or clears the visibility policy of a topic. The topic need not have messages. */
export async function updateUserTopic(ctx: Ctx<CollectionLimiting>, params: Params<'updateUserTopic'>): Promise<void> {
  const { stream_id, visibility_policy } = params;
  // Locked: a user who loses access to the stream at this moment must not keep a policy for one of its topics.
  await lockStream(ctx.db, ctx.realm.id, stream_id);
  await requireAccessibleStream(ctx, stream_id);
  const name = params.topic.trim();
  const problem = topicProblem(name, { mandatory: false });
  if (problem !== undefined) failInvalid(problem);
  const topic =
    visibility_policy === 0
      ? await findTopic(ctx.db, ctx.realm.id, stream_id, name)
      : await findOrCreateTopic(ctx.db, ctx.realm.id, stream_id, name);
  if (!topic) return;
  const before = await findTopicPolicy(ctx.db, ctx.realm.id, ctx.me.id, topic.id);
  if (before === 0 && visibility_policy !== 0) await requireRoom(ctx, 'user_topics', 1);
  if (before !== visibility_policy)
    await setTopicPolicy(ctx, { user_id: ctx.me.id, topic, stream_id, visibility_policy });
}

/** The older way to mute a topic; only one that is muted can be unmuted by it. */
export async function updateMutedTopic(
  ctx: Ctx<CollectionLimiting>,
  params: Params<'updateMutedTopic'>,
): Promise<void> {
  const { stream_id, stream, topic, op } = params;
  if ((stream_id === undefined) === (stream === undefined)) {
    failInvalid('Send either stream_id or stream.');
  }
  const id = stream_id ?? (await requireStreamNamed(ctx, stream ?? '')).id;
  if (op === 'add') return updateUserTopic(ctx, { stream_id: id, topic, visibility_policy: 1 });
  await lockStream(ctx.db, ctx.realm.id, id);
  await requireAccessibleStream(ctx, id);
  const known = await findTopic(ctx.db, ctx.realm.id, id, topic.trim());
  const before = known && (await findTopicPolicy(ctx.db, ctx.realm.id, ctx.me.id, known.id));
  if (before !== 1) failConflict('topic: you have not muted this topic.');
  return updateUserTopic(ctx, { stream_id: id, topic, visibility_policy: 0 });
}

/** Deletes the topic policies of users in streams that they can no longer read; `emits` says which users get events. */
export async function deleteTopicPolicies(
  ctx: PublicCtx,
  subscriptions: readonly (SubscriptionKey & { readonly emits: boolean })[],
): Promise<void> {
  const keyOf = ({ stream_id, user_id }: SubscriptionKey) => `${stream_id} ${user_id}`;
  const emitted = new Set(subscriptions.filter(({ emits }) => emits).map(keyOf));
  const last_updated = Math.floor(ctx.now.getTime() / 1000);
  for (const policy of await deletePoliciesIn(ctx.db, ctx.realm.id, subscriptions)) {
    if (!emitted.has(keyOf(policy))) continue;
    const { stream_id, topic_name } = policy;
    ctx.emit(
      { type: 'user_topic', stream_id, topic_name, last_updated, visibility_policy: 0 },
      { users: [policy.user_id] },
    );
  }
}

const MUTED = 1;

/**
 * The part of `POST /register` about topics. Only readable streams count, because a topic may be renamed after the user
 * has left.
 */
export const userTopicState = ({ realm, me }: Ctx) =>
  stateQuery(jsonTopicPolicies(realm.id, me.id), (found: PolicyRow[]) => ({
    user_topics: listReadable(me, found).map(({ stream_name: _, ...one }) => one),
  }));

/** The same for old clients: only the muted topics. */
export const mutedTopicState = ({ realm, me }: Ctx) =>
  stateQuery(jsonTopicPolicies(realm.id, me.id), (found: PolicyRow[]) => ({
    muted_topics: listReadable(me, found)
      .filter(({ visibility_policy }) => visibility_policy === MUTED)
      .map(({ stream_name, topic_name, last_updated }) => [stream_name, topic_name, last_updated]),
  }));

const listReadable = (me: Ctx['me'], found: readonly PolicyRow[]) =>
  found
    .filter(({ stream, subscribed }) => canAccessStream(me, stream, subscribed))
    .map(({ stream: _, subscribed: __, ...one }) => ({ ...one, visibility_policy: one.visibility_policy as Policy }));
