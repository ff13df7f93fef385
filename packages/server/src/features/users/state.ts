import type { Ctx, RealmSettings } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import type { MayBeWritten } from '../../core/written.ts';
import {
  currentSettings,
  isAdministrator,
  isGuest,
  isModerator,
  isOwner,
  mayUnderPolicy,
  ROLE,
} from '../realm/index.ts';
import { apiEmailOf, avatarUrlOf, presentUser } from './present.ts';
import { findNotificationBot, isListedFullMember } from './queries/people.ts';
import { visibleUsers } from './shared.ts';

/** People, as `POST /register` gives them, and what the caller is and may. */
export async function usersState(ctx: Ctx, { client_gravatar }: { client_gravatar: boolean }) {
  const settings = await currentSettings(ctx.db, ctx.realm.id);
  const full = await isListedFullMember(ctx.db, ctx.me);
  const bot = await findNotificationBot(ctx.db, ctx.realm.id);
  const { active, deactivated } = await visibleUsers(ctx, ['active', 'deactivated'], {
    client_gravatar,
    include_custom_profile_fields: true,
  });
  return {
    realm_users: active,
    realm_non_active_users: deactivated,
    cross_realm_bots: [{ ...presentUser(ctx.realm, ctx.me, bot, { client_gravatar }), is_system_bot: true as const }],
    ...ownState(ctx, settings, full),
  } satisfies MayBeWritten<Partial<Schema<'State'>>>;
}

function ownState(ctx: Ctx, settings: RealmSettings, full: boolean) {
  const { me } = ctx;
  return {
    user_id: me.id,
    email: apiEmailOf(ctx.realm, me),
    delivery_email: me.delivery_email,
    full_name: me.full_name,
    avatar_url: avatarUrlOf(me),
    is_admin: isAdministrator(me),
    is_owner: isOwner(me),
    is_moderator: me.role === ROLE.moderator,
    is_guest: isGuest(me),
    is_billing_admin: me.is_billing_admin,
    ...permissions(ctx, settings, full),
  };
}

/**
 * What they may do. Full members are those whom role:fullmembers lists: it changes with an event, whereas a waiting period
 * elapses in silence, and a client that follows the events would differ from one that registers anew.
 */
function permissions({ realm, now, me }: Ctx, settings: RealmSettings, full: boolean) {
  const may = (policy: number) =>
    policy === 3 ? isModerator(me) || full : mayUnderPolicy(policy, me, { ...settings, now });
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
