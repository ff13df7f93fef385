import { canSeeStream } from '../../../access/rules.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params, Schema } from '../../../core/contract.ts';
import type { PreserializedJson } from '../../../core/preserialized-json.ts';
import type { SnapshotCaching } from '../../../core/snapshot-cache.ts';
import { stateQuery } from '../../../core/state-query.ts';
import { getCachedStreams, requireStream, streamState } from '../../streams/index.ts';
import { requireUser } from '../../users/index.ts';
import { presentSubscription, type Subscription } from '../present.ts';
import {
  jsonMembershipsOf,
  listMembershipStates,
  listMembershipsOf,
  listSubscribers,
  type Membership,
} from '../queries/list.ts';

type Options = { readonly include_subscribers: boolean };
type Never = NonNullable<Schema<'State'>['never_subscribed']>[number];

interface State {
  readonly subscriptions: Subscription[];
  readonly unsubscribed: Subscription[];
  readonly never_subscribed: Never[] | PreserializedJson<Never>;
}

/** One's subscriptions, by name. */
export async function getSubscriptions(ctx: Ctx<SnapshotCaching>, options: Options): Promise<Subscription[]> {
  const memberships = await listMembershipsOf(ctx.db, ctx.realm.id, ctx.me.id);
  return (await presentAll(ctx, memberships, options)).subscriptions;
}

/** Whether a user is subscribed to a stream; deactivated users are subscribed to none. */
export async function isSubscribed(
  ctx: Ctx,
  { user_id, stream_id }: Params<'getSubscriptionStatus'>,
): Promise<boolean> {
  const stream = await requireStream(ctx, stream_id);
  const { id, is_active } = await requireUser(ctx, user_id);
  const [membership] = await listMembershipStates(ctx.db, ctx.realm.id, [stream.id], [id]);
  return is_active && membership?.active === true;
}

interface StateOptions extends Options {
  /** The lists that are fetched. */
  readonly lists: { readonly subscriptions: boolean; readonly streams: boolean };
}

/** The parts of `POST /register` about subscriptions and about streams: who is subscribed to a stream can see it. */
export const subscriptionState = (ctx: Ctx<SnapshotCaching>, { lists, ...options }: StateOptions) =>
  stateQuery(jsonMembershipsOf(ctx.realm.id, ctx.me.id), async (found: Membership[]) => ({
    ...(lists.subscriptions && (await presentAll(ctx, found, options))),
    ...(lists.streams && (await streamState(ctx, toSubscribedIds(found)))),
  }));

const toSubscribedIds = (memberships: readonly Membership[]): ReadonlySet<number> =>
  new Set(memberships.filter(({ active }) => active).map(({ stream_id }) => stream_id));

/** The streams that the caller is subscribed to, has left, or was never in but can see. */
async function presentAll(
  ctx: Ctx<SnapshotCaching>,
  memberships: readonly Membership[],
  { include_subscribers }: Options,
): Promise<State> {
  const owns = new Map(memberships.map((own) => [own.stream_id, own]));
  const { facts, list, begun } = await getCachedStreams(ctx);
  const ids = facts
    .filter((stream) => canSeeStream(ctx.me, stream, owns.get(stream.id)?.active ?? false))
    .map(({ id }) => id);
  const subscribers = include_subscribers ? await listSubscribers(ctx.db, ctx.realm.id, ids) : undefined;
  const membersOf = (id: number) => subscribers && (subscribers.get(id) ?? []);
  const findStreamObject = (id: number) => begun.get(id) ?? (list.item(id) as Schema<'Stream'>);
  const own = (active: boolean) =>
    ids.flatMap((id) => {
      const membership = owns.get(id);
      return membership?.active === active
        ? [presentSubscription(findStreamObject(id), membership, membersOf(id))]
        : [];
    });
  const others = ids.filter((id) => !owns.has(id));
  return {
    subscriptions: own(true),
    unsubscribed: own(false),
    never_subscribed: include_subscribers
      ? others.map((id) => ({ ...findStreamObject(id), subscribers: membersOf(id) ?? [] }))
      : list.only(new Set(others), begun),
  };
}
