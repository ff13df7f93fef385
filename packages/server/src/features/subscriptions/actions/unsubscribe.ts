import { isAdministrator } from '../../../access/roles.ts';
import { canSeeStream } from '../../../access/rules.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { fail, failForbidden, failOnProblem } from '../../../core/errors.ts';
import { withGuestVisibilityEvents } from '../../guest-visibility/index.ts';
import { type SeenStream, streamKey } from '../../streams/index.ts';
import { isInGroup } from '../../user-groups/index.ts';
import { requirePrincipals } from '../../users/index.ts';
import { endMemberships } from '../queries/leave.ts';
import { listMembershipStates } from '../queries/list.ts';
import { canUnsubscribe, countProblem, isOnlyCaller } from '../rules.ts';
import { type EndedSubscription, emitUnsubscribed } from './emit-unsubscribed.ts';
import { lockStreamsByName } from './lock-streams.ts';

type Unsubscribing = Params<'unsubscribe'>;

/** Unsubscribes users from streams (specification 4.2). */
export async function unsubscribe(ctx: Ctx, params: Unsubscribing): Promise<Payload<'unsubscribe'>> {
  const streams = await requireStreams(ctx, params.subscriptions);
  const { principals } = params;
  const users =
    principals === undefined || isOnlyCaller(ctx.me, principals) ? [ctx.me] : await requirePrincipals(ctx, principals);
  failOnProblem(countProblem(streams.length, users.length));
  await requirePermission(ctx, streams, users);

  const pairs = streams.flatMap((stream) => users.map((user): EndedSubscription => ({ stream, user })));
  const states = await listMembershipStates(
    ctx.db,
    ctx.realm.id,
    streams.map(({ id }) => id),
    users.map(({ id }) => id),
  );
  const active = new Set(states.filter((one) => one.active).map(({ stream_id, user_id }) => `${stream_id} ${user_id}`));
  const isIn = ({ stream, user }: EndedSubscription) => active.has(`${stream.id} ${user.id}`);
  const left = pairs.filter(isIn);
  if (left.length > 0) {
    const ended = left.map(({ stream, user }) => ({ stream_id: stream.id, user_id: user.id }));
    await withGuestVisibilityEvents(ctx, () => endMemberships(ctx.db, ctx.realm.id, ended));
    await emitUnsubscribed(ctx, left);
  }
  return {
    removed: left.map(({ stream }) => stream.name),
    not_removed: pairs.filter((pair) => !isIn(pair)).map(({ stream }) => stream.name),
  };
}

/** The streams of these names, each once, locked. A stream that the caller cannot see is reported as unknown. */
async function requireStreams(ctx: Ctx, names: readonly string[]): Promise<SeenStream[]> {
  const trimmed = names.map((name) => name.trim());
  const found = await lockStreamsByName(ctx, trimmed);
  const streams = trimmed.map((name, n) => {
    const stream = found.get(streamKey(name));
    if (stream && canSeeStream(ctx.me, stream, stream.subscribed)) return stream;
    return fail('STREAM_DOES_NOT_EXIST', `There is no stream "${names[n]}".`, { stream: names[n] ?? '' });
  });
  return [...new Set(streams)];
}

async function requirePermission(ctx: Ctx, streams: readonly SeenStream[], users: readonly User[]): Promise<void> {
  const others = users.filter(({ id }) => id !== ctx.me.id);
  if (others.length === 0 || isAdministrator(ctx.me)) return;
  const groups = new Map<number, boolean>();
  for (const group_id of new Set(streams.map((stream) => stream.can_remove_subscribers_group))) {
    groups.set(group_id, await isInGroup(ctx.db, ctx.realm.id, group_id, ctx.me.id));
  }
  for (const stream of streams) {
    const in_remover_group = groups.get(stream.can_remove_subscribers_group) ?? false;
    const forbidden = others.find((user) => !canUnsubscribe({ me: ctx.me, user, sees: true, in_remover_group }));
    if (forbidden)
      failForbidden(`You have no permission to remove ${forbidden.full_name} from the stream "${stream.name}".`);
  }
}
