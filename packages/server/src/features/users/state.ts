import { isAdministrator, isGuest, isModerator, isOwner, ROLE } from '../../access/roles.ts';
import type { Ctx, RealmSettings } from '../../core/context.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { canUnderPolicy, getCachedSettings } from '../realm/index.ts';
import { listVisibleUsers } from './cached-users.ts';
import { getApiEmail, getAvatarSource, getAvatarUrl, presentUser } from './present.ts';
import { findNotificationBot } from './queries/users.ts';

/** The approximate size of the notification bot in bytes. No request changes it. */
const BOT_BYTES = 1000;

type Options = { readonly client_gravatar: boolean };

/** The part of `POST /register` about users, and about what the caller is and may do. */
export const usersState = async (
  ctx: Ctx<SnapshotCaching>,
  options: Options & { readonly is_full_member: boolean },
) => ({
  ...(await presentUsers(ctx, options)),
  ...ownState(ctx, await getCachedSettings(ctx), options.is_full_member),
});

async function presentUsers(ctx: Ctx<SnapshotCaching>, { client_gravatar }: Options) {
  const { bot } = await ctx.server.snapshotCache.getOrCompute(
    ctx,
    { name: 'notification bot', invalidatedBy: [] },
    async () => ({
      bot: await findNotificationBot(ctx.db, ctx.realm.id),
      bytes: BOT_BYTES,
    }),
  );
  const { active, deactivated } = await listVisibleUsers(ctx, ['active', 'deactivated'], {
    client_gravatar,
    include_custom_profile_fields: true,
  });
  return {
    realm_users: active,
    realm_non_active_users: deactivated,
    cross_realm_bots: [{ ...presentUser(ctx.realm, ctx.me, bot, { client_gravatar }), is_system_bot: true as const }],
  };
}

function ownState(ctx: Ctx, settings: RealmSettings, full: boolean) {
  const { me } = ctx;
  return {
    user_id: me.id,
    email: getApiEmail(ctx.realm, me),
    delivery_email: me.delivery_email,
    full_name: me.full_name,
    avatar_url: getAvatarUrl(me),
    avatar_source: getAvatarSource(me),
    is_admin: isAdministrator(me),
    is_owner: isOwner(me),
    is_moderator: me.role === ROLE.moderator,
    is_guest: isGuest(me),
    is_billing_admin: me.is_billing_admin,
    ...permissions(ctx, settings, full),
  };
}

/**
 * The permissions of the caller. Full members are the members of role:fullmembers: its changes are emitted as events,
 * whereas the end of a waiting period is not. Otherwise a client that follows events would differ from one that
 * registers anew.
 */
function permissions({ realm, now, me }: Ctx, settings: RealmSettings, full: boolean) {
  const may = (policy: number) =>
    policy === 3 ? isModerator(me) || full : canUnderPolicy(policy, me, { ...settings, now });
  const can_create_public_streams = may(settings.create_public_stream_policy);
  const can_create_private_streams = may(settings.create_private_stream_policy);
  return {
    can_create_streams: can_create_public_streams || can_create_private_streams,
    can_create_public_streams,
    can_create_private_streams,
    can_create_web_public_streams:
      realm.web_public_streams_enabled &&
      settings.enable_spectator_access &&
      may(settings.create_web_public_stream_policy),
    can_subscribe_other_users: may(settings.invite_to_stream_policy),
    can_invite_others_to_realm: may(settings.invite_to_realm_policy),
  };
}
