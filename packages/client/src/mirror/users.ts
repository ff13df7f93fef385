import type { Schema } from '../types.ts';
import { withMovedPresence, withoutPresence } from './presence.ts';
import { withValue } from './profiles.ts';
import { inLists, type MirrorOptions, type Of, pickPresent, type State, upsertSorted } from './state.ts';
import { withoutStatus } from './status.ts';

type User = Schema<'User'>;

export function withUser(state: State, event: Of<'realm_user'>, { client_gravatar = true }: MirrorOptions): State {
  const { user_id } = event.person;
  if (event.op === 'add') return withListedUser(state, user_id, event.person);
  const { realm_users = [], realm_non_active_users = [] } = state;
  const user = [...realm_users, ...realm_non_active_users].find((one) => one.user_id === user_id);
  if (event.op === 'remove')
    return withoutPresence(withoutStatus(withListedUser(state, user_id), user_id), user_id, user?.email);
  if (!user) return event.person.is_active === false ? withoutPresence(state, user_id) : state;
  const { new_email, custom_profile_field, avatar_source, avatar_url_medium: _, ...person } = event.person;
  const changed: User = {
    ...user,
    ...person,
    // A client that generates avatars gets null instead of the avatars that the server generates.
    ...(avatar_source === 'G' && client_gravatar && { avatar_url: null }),
    ...(new_email && { email: new_email }),
    ...(person.role && rolesOf(person.role)),
    ...(custom_profile_field && { profile_data: withValue(user.profile_data, custom_profile_field) }),
  };
  const present = changed.is_active
    ? withMovedPresence(state, user.email, changed.email)
    : withoutPresence(state, user_id, user.email);
  const next = withListedUser(present, user_id, changed);
  return user_id === state.user_id ? withOwn(next, changed, person.avatar_url) : next;
}

/** Puts a user into the list they belong to, or into none. */
function withListedUser(state: State, user_id: number, user?: User): State {
  return inLists<User>(state, ['realm_users', 'realm_non_active_users'], (users, part) =>
    upsertSorted(users, 'user_id', user?.is_active === (part === 'realm_users') ? [user] : [], user_id),
  );
}

const rolesOf = (role: User['role']) => ({ is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 });

function withOwn(state: State, { full_name, email, delivery_email, role }: User, avatar_url?: string | null): State {
  return {
    ...state,
    full_name,
    email,
    ...(delivery_email && { delivery_email }),
    ...(avatar_url && { avatar_url }),
    ...rolesOf(role),
    is_moderator: role === 300,
  };
}

export function withRealm(state: State, event: Of<'realm'>): State {
  if (event.op === 'deactivated') return state;
  const data: Record<string, unknown> = event.op === 'update' ? { [event.property]: event.value } : event.data;
  return Object.entries(data).reduce(
    (next, [name, value]) => pickPresent(next, `realm_${name}` as keyof State, () => value as never),
    state,
  );
}

/** The user's permissions depend on their role, their groups and the organization's policies. */
export function withPermissions(state: State): State {
  const {
    user_id,
    realm_user_groups: groups,
    realm_create_public_stream_policy: publicPolicy,
    is_owner,
    is_admin,
    is_moderator,
    is_guest,
  } = state;
  if (!user_id || !publicPolicy || !groups) return state;
  const full = groups.find(({ name }) => name === 'role:fullmembers')?.members.includes(user_id);
  const moderates = is_moderator || is_admin;
  const allowed = [false, !is_guest, is_admin, moderates || (!is_guest && full), moderates, true, false, is_owner];
  const may = (policy = 0) => allowed[policy] === true;
  const can_create_public_streams = may(publicPolicy);
  const can_create_private_streams = may(state.realm_create_private_stream_policy);
  return {
    ...state,
    can_create_streams: can_create_public_streams || can_create_private_streams,
    can_create_public_streams,
    can_create_private_streams,
    can_subscribe_other_users: may(state.realm_invite_to_stream_policy),
    can_invite_others_to_realm: may(state.realm_invite_to_realm_policy),
  };
}
