import type { Schema } from '../types.ts';
import { withMovedPresence, withoutPresence } from './presence.ts';
import { withValue } from './profiles.ts';
import { byNumber, inLists, type MirrorOptions, type Of, type State, without } from './state.ts';
import { withoutStatus } from './status.ts';

type User = Schema<'User'>;

export function withUser(state: State, event: Of<'realm_user'>, { client_gravatar = true }: MirrorOptions): State {
  const { user_id } = event.person;
  const everyone = [...(state.realm_users ?? []), ...(state.realm_non_active_users ?? [])];
  if (event.op === 'add') return withPerson(state, user_id, event.person);
  const user = everyone.find((one) => one.user_id === user_id);
  if (event.op === 'remove') return withoutUser(state, user_id, user?.email);
  if (!user) return event.person.is_active === false ? withoutPresence(state, user_id) : state;
  const { new_email, custom_profile_field, avatar_source, avatar_url_medium: _, ...person } = event.person;
  const changed: User = {
    ...user,
    ...person,
    // Who makes up avatars gets none of those that the server made up.
    ...(avatar_source === 'G' && client_gravatar && { avatar_url: null }),
    ...(new_email !== undefined && { email: new_email }),
    ...(person.role !== undefined && rolesOf(person.role)),
    ...(custom_profile_field && { profile_data: withValue(user.profile_data, custom_profile_field) }),
  };
  const present = changed.is_active
    ? withMovedPresence(state, user.email, changed.email)
    : withoutPresence(state, user_id, user.email);
  const next = withPerson(present, user_id, changed);
  if (user_id !== state.user_id) return next;
  return withOwn(person.avatar_url === undefined ? next : { ...next, avatar_url: person.avatar_url }, changed);
}

function withoutUser(state: State, user_id: number, email: string | undefined): State {
  return withoutPresence(withoutStatus(withPerson(state, user_id, undefined), user_id), user_id, email);
}

/** Puts a person where they belong, or nowhere. */
function withPerson(state: State, user_id: number, person: User | undefined): State {
  return inLists<User>(state, ['realm_users', 'realm_non_active_users'], (users, part) => {
    const others = without(users, 'user_id', [user_id]);
    return person?.is_active === (part === 'realm_users') ? byNumber([...others, person], 'user_id') : others;
  });
}

const rolesOf = (role: User['role']) => ({ is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 });

function withOwn(state: State, { full_name, email, delivery_email, role }: User): State {
  const address = delivery_email === null ? {} : { delivery_email };
  return { ...state, full_name, email, ...address, ...rolesOf(role), is_moderator: role === 300 };
}

export function withRealm(state: State, event: Of<'realm'>): State {
  if (event.op === 'deactivated') return state;
  const data: Record<string, unknown> = event.op === 'update' ? { [event.property]: event.value } : event.data;
  const fetched = Object.entries(data).filter(([name]) => `realm_${name}` in state);
  return { ...state, ...Object.fromEntries(fetched.map(([name, value]) => [`realm_${name}`, value])) };
}

/** What one may do follows from one's role, one's groups and the organization's policies. */
export function withPermissions(state: State): State {
  const { user_id, realm_user_groups, realm_create_public_stream_policy: publicPolicy } = state;
  if (user_id === undefined || publicPolicy === undefined || !realm_user_groups) return state;
  const full = realm_user_groups.some(({ name, members }) => name === 'role:fullmembers' && members.includes(user_id));
  const may = (policy = 6) => mayUnderPolicy(policy, state, full);
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

function mayUnderPolicy(policy: number, { is_owner, is_admin, is_moderator, is_guest }: State, full: boolean): boolean {
  const moderates = is_moderator === true || is_admin === true;
  const allowed: Record<number, boolean | undefined> = {
    1: !is_guest,
    2: is_admin,
    3: moderates || (!is_guest && full),
    4: moderates,
    5: true,
    7: is_owner,
  };
  return allowed[policy] ?? false;
}
