import { countCollection, lockCollection } from './collection-counts-sql.ts';
import { type CollectionLimiting, collectionLimits, limitMessage, type RequestLimitName } from './collection-limits.ts';
import type { Ctx } from './context.ts';
import { type FieldProblem, failLimitReached } from './errors.ts';

/** The owner of the collection, where that is not the caller. */
interface Owner {
  readonly user_id?: number;
  readonly message_id?: number;
}

type CountingCtx = Pick<Ctx<CollectionLimiting>, 'db' | 'realm' | 'me' | 'now' | 'server'>;

/**
 * Whether `added` more fit within the limit; 0 checks what the transaction has inserted already. Requests that add to
 * the same collection are serialized until they commit, so two at once never exceed the limit. The transaction must not
 * be repeatable read: it would not see what earlier requests added.
 */
export async function hasRoom(
  ctx: CountingCtx,
  name: RequestLimitName,
  added: number,
  owner: Owner = {},
): Promise<boolean> {
  const { per } = collectionLimits[name];
  const { user_id = ctx.me.id } = owner;
  // A request that adds a reaction has locked the conversation already.
  if (per === 'account') await lockCollection(ctx.db, `${name} ${ctx.realm.id} ${user_id}`);
  if (per === 'organization') await lockCollection(ctx.db, `${name} ${ctx.realm.id}`);
  return fits(ctx, name, added, owner);
}

/** The problem of a request if one more does not fit, for operations that return all problems at once. */
export async function listRoomProblems(ctx: CountingCtx, name: RequestLimitName): Promise<FieldProblem[]> {
  return (await hasRoom(ctx, name, 1))
    ? []
    : [{ field: '__all__', text: messageFor(ctx, name), reason: 'limit_reached' }];
}

/** Fails if `added` more do not fit within the limit. */
export async function requireRoom(
  ctx: CountingCtx,
  name: RequestLimitName,
  added: number,
  owner: Owner = {},
): Promise<void> {
  if (!(await hasRoom(ctx, name, added, owner))) failLimitReached(messageFor(ctx, name));
}

/** Fails early, before an expensive part and without a lock. `requireRoom` enforces the limit after that part. */
export async function precheckRoom(ctx: CountingCtx, name: RequestLimitName, added: number): Promise<void> {
  if (!(await fits(ctx, name, added, {}))) failLimitReached(messageFor(ctx, name));
}

async function fits(ctx: CountingCtx, name: RequestLimitName, added: number, owner: Owner): Promise<boolean> {
  const { user_id = ctx.me.id, message_id = 0 } = owner;
  const count = await countCollection(ctx.db, name, { realm_id: ctx.realm.id, user_id, message_id, now: ctx.now });
  return count + added <= ctx.server.collection_limits[name];
}

/** Rejects the request because one more does not fit within the limit. */
export const failForRoom = (ctx: Pick<Ctx<CollectionLimiting>, 'server'>, name: RequestLimitName): never =>
  failLimitReached(messageFor(ctx, name));

const messageFor = ({ server }: Pick<Ctx<CollectionLimiting>, 'server'>, name: RequestLimitName): string =>
  limitMessage(name, server.collection_limits[name]);
