import type { Ctx } from '../../../core/context.ts';
import type { Params, Schema } from '../../../core/contract.ts';
import { listStreams, listWeeklyTraffic, maySeeStream, presentStream, requireStream } from '../../streams/index.ts';
import { requireUser } from '../../users/index.ts';
import { presentSubscription, type Subscription } from '../present.ts';
import { listMembershipsOf, listStandings, listSubscribers } from '../queries/list.ts';

type Options = { readonly include_subscribers: boolean };
type State = Pick<Schema<'State'>, 'subscriptions' | 'unsubscribed' | 'never_subscribed'>;

/** One's subscriptions, by name. */
export async function getSubscriptions(ctx: Ctx, options: Options): Promise<Subscription[]> {
  return (await subscriptionState(ctx, options)).subscriptions;
}

/** Whether somebody is subscribed to a stream; deactivated people are to none. */
export async function isSubscribed(
  ctx: Ctx,
  { user_id, stream_id }: Params<'getSubscriptionStatus'>,
): Promise<boolean> {
  const stream = await requireStream(ctx, stream_id);
  const { id, is_active } = await requireUser(ctx, user_id);
  const [standing] = await listStandings(ctx.db, ctx.realm.id, [stream.id], [id]);
  return is_active && standing?.active === true;
}

/** The part of `POST /register` about subscriptions: streams one is in, has left, or was never in but can see. */
export async function subscriptionState(ctx: Ctx, { include_subscribers }: Options): Promise<Required<State>> {
  const streams = (await listStreams(ctx)).filter((stream) => maySeeStream(ctx.me, stream, stream.subscribed));
  const ids = streams.map(({ id }) => id);
  const owns = new Map((await listMembershipsOf(ctx.db, ctx.realm.id, ctx.me.id)).map((own) => [own.stream_id, own]));
  const traffic = await listWeeklyTraffic(ctx.db, ctx.realm.id, ids, ctx.now);
  const subscribers = include_subscribers ? await listSubscribers(ctx.db, ctx.realm.id, ids) : undefined;
  const state: Required<State> = { subscriptions: [], unsubscribed: [], never_subscribed: [] };
  for (const stream of streams) {
    const shown = presentStream(stream, traffic.get(stream.id) ?? null);
    const members = subscribers && (subscribers.get(stream.id) ?? []);
    const own = owns.get(stream.id);
    if (own) state[own.active ? 'subscriptions' : 'unsubscribed'].push(presentSubscription(shown, own, members));
    else state.never_subscribed.push({ ...shown, ...(members && { subscribers: members }) });
  }
  return state;
}
