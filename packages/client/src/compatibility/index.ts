import type { Event, State } from '../mirror/index.ts';
import { ascending, type Of, pickPresent } from '../mirror/state.ts';

/** The maximum number of direct conversations in a registration. */
const MOST_CONVERSATIONS = 1000;

type Conversation = NonNullable<State['recent_private_conversations']>[number];

const changes: { readonly [Type in Event['type']]?: (state: State, event: Of<Type>) => State } = {
  message: withMessage,
  realm: withAuthenticationMethods,
  realm_user: withAvatarSource,
  restart: (state, { server_generation }) => pickPresent(state, 'server_generation', () => server_generation),
};

/**
 * Returns the state after an event, in the fields for clients of other servers with the same API:
 * `recent_private_conversations`, `realm_email_auth_enabled`, `realm_password_auth_enabled`, `avatar_source` and
 * `server_generation`. `applyEvent` updates all other fields; programs that read none of these need only that.
 *
 * @param state - The result of `applyEvent` for the event. The fields of `realm_user` must have been fetched.
 * @param event - The event.
 * @since Feature level 237.
 * @see `/docs/guides/events/` on your server
 * @example
 * state = applyCompatibilityEvent(applyEvent(state, event), event);
 */
export function applyCompatibilityEvent(state: State, event: Event): State {
  const change = changes[event.type] as ((state: State, event: Event) => State) | undefined;
  return change ? change(state, event) : state;
}

function withMessage(state: State, { message: { id, display_recipient }, flags }: Of<'message'>): State {
  // A queue of all public streams also delivers messages that the user did not receive; direct messages are always
  // received.
  if (typeof display_recipient === 'string' || flags.includes('historical')) return state;
  const others = display_recipient.map((participant) => participant.id).filter((user) => user !== state.user_id);
  const changed: Conversation = { user_ids: ascending(others), max_message_id: id };
  return pickPresent(state, 'recent_private_conversations', (before) =>
    [changed, ...before.filter((one) => one.user_ids.join() !== changed.user_ids.join())]
      .sort((one, other) => other.max_message_id - one.max_message_id)
      .slice(0, MOST_CONVERSATIONS),
  );
}

function withAuthenticationMethods(state: State, event: Of<'realm'>): State {
  const { realm_authentication_methods: methods } = state;
  if (event.op !== 'update_dict' || !methods) return state;
  const { Email = false, LDAP = false } = methods;
  const byEmail = pickPresent(state, 'realm_email_auth_enabled', () => Email);
  return pickPresent(byEmail, 'realm_password_auth_enabled', () => Email || LDAP);
}

function withAvatarSource(state: State, event: Of<'realm_user'>): State {
  if (event.op !== 'update' || event.person.user_id !== state.user_id) return state;
  const { avatar_source } = event.person;
  return avatar_source ? pickPresent(state, 'avatar_source', () => avatar_source) : state;
}
