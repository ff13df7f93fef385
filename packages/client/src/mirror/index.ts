import { withGroupMembers, withPermissions, withRealm, withUser } from './people.ts';
import { type Event, given, idOf, type State } from './state.ts';
import { withoutStreams, withStreams, withSubscription, withUserTopic } from './streams.ts';
import { withFlags, withMessage } from './unread.ts';

export type { Event, State };

/** What the queue was registered with, as far as the state depends on it. */
export interface MirrorOptions {
  include_subscribers?: boolean;
}

/**
 * The state after an event. Folding the events of a queue over the state it was registered with gives what a new
 * registration would return; parts that were not fetched stay absent.
 */
export function applyEvent(state: State, event: Event, { include_subscribers = false }: MirrorOptions = {}): State {
  switch (event.type) {
    case 'message':
      return withMessage(state, event);
    case 'update_message_flags':
      return withFlags(state, event);
    case 'subscription':
      return withSubscription(state, event);
    case 'stream':
      return event.op === 'create'
        ? withStreams(state, event.streams, include_subscribers)
        : withoutStreams(state, event.streams.map(idOf));
    case 'default_streams':
      return given(state, 'realm_default_streams', () => event.default_streams);
    case 'user_topic':
      return withUserTopic(state, event);
    case 'realm_user':
      return withPermissions(withUser(state, event));
    case 'user_group':
      return withPermissions(withGroupMembers(state, event));
    case 'realm':
      return withPermissions(withRealm(state, event));
    default:
      return state;
  }
}
