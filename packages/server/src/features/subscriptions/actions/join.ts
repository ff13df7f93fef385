import type { PublicCtx, User } from '../../../core/context.ts';
import type { Stream } from '../../streams/index.ts';
import { chooseColors } from '../colors.ts';
import { insertMemberships, type NewMembership } from '../queries/join.ts';
import { listColors, listMembershipStates, type Membership } from '../queries/list.ts';

/** A new subscriber of a stream, with their settings for it. */
export interface Joined {
  readonly stream: Stream;
  readonly user: User;
  readonly own: Membership;
}

type Pair = Omit<Joined, 'own'>;
const keyOf = (stream_id: number, user_id: number): string => `${stream_id} ${user_id}`;

/** Subscribes users to locked streams. Both lists are in the order of the streams. */
export async function insertSubscriptions(
  ctx: PublicCtx,
  streams: readonly Stream[],
  users: readonly User[],
  colorOf: (stream: Stream) => string | undefined,
): Promise<{ joined: Joined[]; already: Pair[] }> {
  const pairs = streams.flatMap((stream) => users.map((user) => ({ stream, user })));
  const states = await listMembershipStates(
    ctx.db,
    ctx.realm.id,
    streams.map(({ id }) => id),
    users.map(({ id }) => id),
  );
  const active = new Map(states.map((one) => [keyOf(one.stream_id, one.user_id), one.active]));
  const isActive = ({ stream, user }: Pair) => active.get(keyOf(stream.id, user.id));
  const coming = pairs.filter((pair) => isActive(pair) !== true);
  const colors = await newColors(
    ctx,
    coming.filter((pair) => isActive(pair) === undefined),
    colorOf,
  );
  const joining = coming.map(({ stream, user }): NewMembership => {
    const key = keyOf(stream.id, user.id);
    return { stream_id: stream.id, user_id: user.id, color: colors.get(key) ?? chooseColors([], 1)[0] ?? '' };
  });
  const memberships = await insertMemberships(ctx.db, ctx.realm.id, joining);
  const owns = new Map(memberships.map((own) => [keyOf(own.stream_id, own.user_id), own]));
  const joined = coming.map((pair) => ({
    ...pair,
    own: owns.get(keyOf(pair.stream.id, pair.user.id)) as Membership,
  }));
  return { joined, already: pairs.filter((pair) => isActive(pair) === true) };
}

/**
 * A color for each user who was never subscribed to a stream: the requested one, else the first that they have not
 * used.
 */
async function newColors(
  ctx: PublicCtx,
  pairs: readonly Pair[],
  colorOf: (stream: Stream) => string | undefined,
): Promise<Map<string, string>> {
  const used = await listColors(ctx.db, ctx.realm.id, [...new Set(pairs.map(({ user }) => user.id))]);
  const requestedColors = [...new Set(pairs.map(({ stream }) => colorOf(stream)))].filter(
    (color) => color !== undefined,
  );
  const picked = new Map<number, string[]>();
  const streams = new Set(pairs.map(({ stream }) => stream.id)).size;
  const nextFor = (user_id: number): string => {
    const next = picked.get(user_id) ?? chooseColors([...(used.get(user_id) ?? []), ...requestedColors], streams);
    picked.set(user_id, next);
    return next.shift() ?? '';
  };
  return new Map(pairs.map(({ stream, user }) => [keyOf(stream.id, user.id), colorOf(stream) ?? nextFor(user.id)]));
}
