import { isAdministrator, isGuest, isOwner } from '../../access/roles.ts';
import type { Realm, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import type { Profiles } from './queries/profiles.ts';
import { canSeeEmail, VISIBILITY, type Viewer } from './rules.ts';

export type PresentOptions = {
  client_gravatar: boolean;
  /** What people say in custom profile fields, where that is wanted. */
  profiles?: Profiles | undefined;
};

/** The address by which the API knows a person: the real one if everyone may see it, else a stand-in. */
export function getApiEmail(
  realm: Pick<Realm, 'host'>,
  person: Pick<User, 'id' | 'delivery_email' | 'email_address_visibility'>,
): string {
  return person.email_address_visibility === VISIBILITY.everyone
    ? person.delivery_email
    : `user${person.id}@${realm.host}`;
}

/** As much of a person as their avatar depends on. */
export type AvatarFields = Pick<User, 'id' | 'avatar_key'>;

/** Where a person's avatar is: a path on this server. Without one of their own they have a picture made of their id. */
export const getAvatarUrl = ({ id, avatar_key }: AvatarFields): string =>
  avatar_key === null ? `/avatar/${id}` : `/user_avatars/${avatar_key}`;

/** Where the picture comes from: an upload (`U`), or the server or client makes one up (`G`). */
export const getAvatarSource = ({ avatar_key }: Pick<User, 'avatar_key'>): 'G' | 'U' =>
  avatar_key === null ? 'G' : 'U';

/** The same in a larger size; what is made up is drawn in any size. */
export const getMediumAvatarUrl = (person: AvatarFields): string =>
  person.avatar_key === null ? getAvatarUrl(person) : `${getAvatarUrl(person)}/medium`;

/** The same for clients that may make up avatars themselves: then they get none for those who have none of their own. */
export const getShownAvatarUrl = (person: AvatarFields, client_gravatar: boolean): string | null =>
  client_gravatar && person.avatar_key === null ? null : getAvatarUrl(person);

/** A person as `viewer` sees them. */
export function presentUser(
  realm: Pick<Realm, 'host'>,
  viewer: Viewer,
  person: User,
  options: PresentOptions,
): Schema<'User'> {
  return {
    ...presentCommon(realm, person),
    delivery_email: canSeeEmail(viewer, person) ? person.delivery_email : null,
    avatar_url: getShownAvatarUrl(person, options.client_gravatar),
    ...(options.profiles && profileOf(person, options.profiles)),
  };
}

/** One's own account; people always have `profile_data` here. */
export function presentOwnUser(
  realm: Pick<Realm, 'host'>,
  me: User,
  { max_message_id, profiles }: { max_message_id: number; profiles: Profiles },
): Schema<'OwnUser'> {
  return {
    ...presentCommon(realm, me),
    delivery_email: me.delivery_email,
    avatar_url: getAvatarUrl(me),
    max_message_id,
    ...profileOf(me, profiles),
  };
}

function presentCommon(realm: Pick<Realm, 'host'>, person: User) {
  return {
    user_id: person.id,
    email: getApiEmail(realm, person),
    full_name: person.full_name,
    avatar_version: person.avatar_version,
    is_admin: isAdministrator(person),
    is_owner: isOwner(person),
    is_guest: isGuest(person),
    is_billing_admin: person.is_billing_admin,
    role: person.role as Schema<'User'>['role'],
    is_bot: person.bot_type !== null,
    is_active: person.is_active,
    timezone: person.timezone,
    date_joined: person.date_joined.toISOString().replace('Z', '+00:00'),
    ...(person.bot_type !== null && { bot_type: person.bot_type, bot_owner_id: person.bot_owner_id }),
  };
}

const profileOf = (person: User, profiles: Profiles) =>
  person.bot_type === null ? { profile_data: profiles.get(person.id) ?? {} } : {};
