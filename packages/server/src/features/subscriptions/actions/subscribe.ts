import { canAccessStream } from '../../../access/rules.ts';
import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { Params, Schema } from '../../../core/contract.ts';
import { failForbidden, failInvalid, failOnProblem } from '../../../core/errors.ts';
import { holdEvents } from '../../../core/event-log/held-events.ts';
import { withGuestVisibilityEvents } from '../../guest-visibility/index.ts';
import { canUnderPolicy } from '../../realm/index.ts';
import { descriptionProblem, type SeenStream, type Stream, streamKey, streamNameProblem } from '../../streams/index.ts';
import { getApiEmail, requirePrincipals } from '../../users/index.ts';
import { countProblem, distinctStreams, isOnlyCaller, type RequestedStream } from '../rules.ts';
import { createStreams, requireCreation } from './create-streams.ts';
import { emitSubscribed } from './emit-subscribed.ts';
import { insertSubscriptions } from './join.ts';
import { lockStreamsByName } from './lock-streams.ts';
import { sendNotices } from './send-notices.ts';

type Subscribing = Params<'subscribe'>;

/** Subscribes users to streams; those that do not exist are created (specification 4.1). */
export async function subscribe(ctx: Ctx<CollectionLimiting>, params: Subscribing): Promise<Schema<'SubscribeResult'>> {
  const requested = distinctStreams(params.subscriptions);
  requireNone(requested.map(descriptionProblem));
  const users = await listUsersToSubscribe(ctx, params.principals);
  requireNone(requested.map(({ name }) => streamNameProblem(name)));
  failOnProblem(countProblem(requested.length, users.length));
  const announced = params.announce ? ctx.realm.settings.notifications_stream_id : undefined;
  const found = await lockStreamsByName(
    ctx,
    requested.map(({ name }) => name),
    announced,
  );
  const missing = requested.filter(({ name }) => !found.has(streamKey(name)));
  if (missing.length > 0) await requireCreation(ctx, params);
  const { open, closed } = byAccess(ctx.me, requested, found);
  const [first] = closed;
  if (first && params.authorization_errors_fatal) failForbidden(`Unable to access the stream "${first.name}".`);

  const created = await createStreams(ctx, missing, params);
  const streams = inOrder(requested, [...created, ...open]);
  const colors = new Map(requested.map(({ name, color }) => [streamKey(name), color]));
  const color = (stream: Stream) => colors.get(stream.name_key);
  const { joined, already } = await withGuestVisibilityEvents(ctx, () =>
    insertSubscriptions(ctx, streams, users, color),
  );
  if (joined.length + created.length > 0) await emitWithNotices(ctx, { created, joined, announce: params.announce });
  return {
    subscribed: namesByEmail(ctx, joined),
    already_subscribed: namesByEmail(ctx, already),
    ...(!params.authorization_errors_fatal && { unauthorized: closed.map(({ name }) => name) }),
  };
}

/**
 * Sends the notices and emits the subscriptions. The first message of a stream is a part of the event about the stream, and its own
 * event comes after that one, so the events of the notices wait.
 */
async function emitWithNotices(ctx: Ctx, joining: Parameters<typeof sendNotices>[1]): Promise<void> {
  const notices = holdEvents(ctx);
  const firsts = await sendNotices(notices.ctx, joining);
  await emitSubscribed(ctx, { ...joining, firsts });
  notices.emitHeld();
}

/** The users to subscribe. Subscribing others is a permission of its own. */
async function listUsersToSubscribe(ctx: Ctx, principals: Subscribing['principals']): Promise<User[]> {
  if (principals === undefined || isOnlyCaller(ctx.me, principals)) return [ctx.me];
  const { invite_to_stream_policy: policy, waiting_period_threshold } = ctx.realm.settings;
  if (!canUnderPolicy(policy, ctx.me, { waiting_period_threshold, now: ctx.now })) {
    failForbidden('principals: you do not have permission to subscribe other users.');
  }
  return requirePrincipals(ctx, principals);
}

function requireNone(problems: readonly (string | undefined)[]): void {
  const problem = problems.find((one) => one !== undefined);
  if (problem !== undefined) failInvalid(`subscriptions: ${problem}`);
}

/**
 * Splits existing streams into those that the caller can subscribe users to, and the others: only subscribers can add
 * users to a private stream.
 */
function byAccess(
  me: User,
  requested: readonly RequestedStream[],
  found: ReadonlyMap<string, SeenStream>,
): { open: SeenStream[]; closed: SeenStream[] } {
  const existing = requested.flatMap(({ name }) => found.get(streamKey(name)) ?? []);
  const canJoin = (stream: SeenStream) => canAccessStream(me, stream, stream.subscribed);
  return { open: existing.filter(canJoin), closed: existing.filter((stream) => !canJoin(stream)) };
}

function inOrder(requested: readonly RequestedStream[], streams: readonly Stream[]): Stream[] {
  const byKey = new Map(streams.map((stream) => [stream.name_key, stream]));
  return requested.flatMap(({ name }) => byKey.get(streamKey(name)) ?? []);
}

function namesByEmail(ctx: Ctx, entries: readonly { stream: Stream; user: User }[]): Record<string, string[]> {
  const names = new Map<string, string[]>();
  for (const { stream, user } of entries) {
    const email = getApiEmail(ctx.realm, user);
    const list = names.get(email);
    if (list) list.push(stream.name);
    else names.set(email, [stream.name]);
  }
  return Object.fromEntries(names);
}
