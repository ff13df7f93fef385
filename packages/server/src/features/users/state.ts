import type { Ctx, RealmSettings, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import {
  currentSettings,
  isAdministrator,
  isGuest,
  isModerator,
  isOwner,
  mayUnderPolicy,
  ROLE,
} from '../realm/index.ts';
import { listVisibleUsers } from './actions.ts';
import { apiEmailOf, avatarUrlOf, presentUser } from './present.ts';
import { findNotificationBot, isListedFullMember } from './queries/people.ts';

/** People, as `POST /register` gives them, and what the caller is and may. */
export async function usersState(ctx: Ctx, { client_gravatar }: { client_gravatar: boolean }) {
  const settings = await currentSettings(ctx.db, ctx.realm.id);
  const full = await isListedFullMember(ctx.db, ctx.me);
  const users = await listVisibleUsers(ctx);
  const bot = await findNotificationBot(ctx.db, ctx.realm.id);
  const options = { client_gravatar, include_custom_profile_fields: true };
  const present = (user: User) => presentUser(ctx.realm, ctx.me, user, options);
  return {
    realm_users: users.filter(({ is_active }) => is_active).map(present),
    realm_non_active_users: users.filter(({ is_active }) => !is_active).map(present),
    cross_realm_bots: [{ ...present(bot), is_system_bot: true as const }],
    // Who they are is read with everybody else: the request's `me` was read before the registration's moment.
    ...ownState(ctx, users.find(({ id }) => id === ctx.me.id) ?? ctx.me, settings, full),
  } satisfies Partial<Schema<'State'>>;
}

function ownState(ctx: Ctx, me: User, settings: RealmSettings, full: boolean) {
  return {
    user_id: me.id,
    email: apiEmailOf(ctx.realm, me),
    delivery_email: me.delivery_email,
    full_name: me.full_name,
    avatar_url: avatarUrlOf(me.id),
    is_admin: isAdministrator(me),
    is_owner: isOwner(me),
    is_moderator: me.role === ROLE.moderator,
    is_guest: isGuest(me),
    is_billing_admin: me.is_billing_admin,
    ...permissions(ctx, me, settings, full),
  };
}

/**
 * What they may do. Full members are those whom role:fullmembers lists: it changes with an event, whereas a waiting period
 * elapses in silence, and a client that follows the events would differ from one that registers anew.
 */
function permissions({ realm, now }: Ctx, me: User, settings: RealmSettings, full: boolean) {
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
