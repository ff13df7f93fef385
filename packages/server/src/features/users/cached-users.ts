// Users as all viewers of one kind see them: serialized once for all of these.
import type { Ctx, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { PreserializedItems, type PreserializedJson } from '../../core/preserialized-json.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { presentUser } from './present.ts';
import { listProfiles } from './queries/profiles.ts';
import { listUsers } from './queries/users.ts';
import { canSeeEmail, toRoleViewer } from './rules.ts';
import { listVisibleUserIds } from './visibility.ts';

type UserObject = Schema<'User'>;
type Kind = 'everyone' | 'active' | 'deactivated';
type Lists<K extends Kind> = { readonly [Name in K]: PreserializedItems<UserObject> } & { readonly bytes: number };

const isOf: Record<Kind, (user: User) => boolean> = {
  everyone: () => true,
  active: ({ is_active }) => is_active,
  deactivated: ({ is_active }) => !is_active,
};

/** All users that the caller can see, by id, in lists of these kinds. */
export async function listVisibleUsers<K extends Kind>(
  ctx: Ctx<SnapshotCaching>,
  kinds: readonly K[],
  options: { client_gravatar: boolean; include_custom_profile_fields: boolean },
): Promise<{ [Name in K]: PreserializedJson<UserObject> }> {
  const viewer = toRoleViewer(ctx.me);
  const share = {
    name: `users: ${JSON.stringify({ kinds, viewer, options })}`,
    invalidatedBy: ['realm_user', 'user_settings', 'custom_profile_fields'],
  } as const;
  const lists = await ctx.server.snapshotCache.getOrCompute(ctx, share, async (): Promise<Lists<K>> => {
    const users = await listUsers(ctx.db, ctx.realm.id);
    const profiles = options.include_custom_profile_fields ? await listProfiles(ctx.db, ctx.realm.id) : undefined;
    const look = { client_gravatar: options.client_gravatar, profiles };
    const listOf = (kind: K) =>
      new PreserializedItems(
        users.filter(isOf[kind]).map((user) => presentUser(ctx.realm, viewer, user, look)),
        ({ user_id }) => user_id,
      );
    const made = kinds.map((kind) => [kind, listOf(kind)] as const);
    return { ...Object.fromEntries(made), bytes: made.reduce((sum, [, { bytes }]) => sum + bytes, 0) } as Lists<K>;
  });
  const visible = await listVisibleUserIds(ctx);
  // Users always see their own address.
  const ownIn = (list: PreserializedItems<UserObject>) => {
    const me = canSeeEmail(viewer, ctx.me) ? undefined : list.item(ctx.me.id);
    return new Map(me ? [[ctx.me.id, { ...me, delivery_email: ctx.me.delivery_email }]] : []);
  };
  const seen = (list: PreserializedItems<UserObject>) =>
    visible === 'all' ? list.all(ownIn(list)) : list.only(visible, ownIn(list));
  return Object.fromEntries(kinds.map((kind) => [kind, seen(lists[kind])])) as {
    [Name in K]: PreserializedJson<UserObject>;
  };
}
