import { isGuest } from '../../../access/roles.ts';
import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { failForbidden, failInvalid } from '../../../core/errors.ts';
import { lockStreamsByName } from './lock-streams.ts';
import { subscribe } from './subscribe.ts';
import { unsubscribe } from './unsubscribe.ts';

type SubscriptionsParams = Params<'updateSubscriptions'>;

/** The settings of a new stream for absent parameters: the defaults of `POST` on the same path. */
const asUsual = {
  authorization_errors_fatal: true,
  announce: false,
  invite_only: false,
  is_web_public: false,
  is_default_stream: false,
  stream_post_policy: 1,
} as const;

/**
 * Subscribes the caller to some streams and unsubscribes them from others, all or nothing
 * (docs/behaviour/subscriptions.md#update-both-ways).
 */
export async function updateSubscriptions(
  ctx: Ctx<CollectionLimiting>,
  { add = [], delete: leaving = [] }: SubscriptionsParams,
): Promise<Payload<'updateSubscriptions'>> {
  if (add.length === 0 && leaving.length === 0) failInvalid('Send add, delete or both.');
  if (add.length > 0 && isGuest(ctx.me)) failForbidden('add: guests cannot subscribe to streams.');
  // All in one statement, because streams are locked in the order of their ids.
  await lockStreamsByName(
    ctx,
    [...add.map(({ name }) => name), ...leaving].map((name) => name.trim()),
  );
  const came = await subscribe(ctx, { subscriptions: add, ...asUsual });
  return { ...came, ...(await unsubscribe(ctx, { subscriptions: leaving })) };
}
