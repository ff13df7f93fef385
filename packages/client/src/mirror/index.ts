import { withBot } from './bots.ts';
import { withDrafts, withKeptDrafts } from './drafts.ts';
import { withoutMessages, withUpdate } from './edits.ts';
import { withGroup } from './groups.ts';
import { withPermissions, withRealm, withUser } from './people.ts';
import { withPresence } from './presence.ts';
import { withProfileFields } from './profiles.ts';
import { withScheduled } from './scheduled.ts';
import { type Event, idOf, type MirrorOptions, type Of, type State } from './state.ts';
import { withStatus } from './status.ts';
import {
  withDefaultStreams,
  withoutStreams,
  withStreamChange,
  withStreams,
  withSubscription,
  withUserTopic,
} from './streams.ts';
import { withFlags, withMessage } from './unread.ts';

export type { Event, MirrorOptions, State };

/**
 * The state after an event. Folding the events of a queue over the state it was registered with gives what a new
 * registration would return; parts that were not fetched stay absent.
 */
export function applyEvent(state: State, event: Event, options: MirrorOptions = {}): State {
  const { include_subscribers = false } = options;
  switch (event.type) {
    case 'message':
      return withMessage(state, event);
    case 'update_message':
      return withUpdate(state, event);
    case 'delete_message':
      return withoutMessages(state, event.message_ids);
    case 'update_message_flags':
      return withFlags(state, event);
    case 'subscription':
      return withSubscription(state, event);
    case 'stream':
      return withStream(state, event, include_subscribers);
    case 'default_streams':
      return withDefaultStreams(state, event.default_streams);
    case 'user_topic':
      return withUserTopic(state, event);
    case 'user_settings':
    case 'realm_user_settings_defaults':
      return withKeptDrafts(withSetting(state, event), event);
    case 'user_status':
      return withStatus(state, event);
    case 'presence':
      return withPresence(state, event);
    case 'drafts':
      return withDrafts(state, event);
    case 'scheduled_messages':
      return withScheduled(state, event);
    case 'realm_user':
      return withPermissions(withUser(state, event, options));
    case 'realm_bot':
      return withBot(state, event);
    case 'user_group':
      return withPermissions(withGroup(state, event));
    case 'realm':
      return withPermissions(withRealm(state, event));
    default:
      return withWhole(state, event);
  }
}

function withStream(state: State, event: Of<'stream'>, include_subscribers: boolean): State {
  if (event.op === 'update') return withStreamChange(state, event);
  return event.op === 'create'
    ? withStreams(state, event.streams, include_subscribers)
    : withoutStreams(state, event.streams.map(idOf));
}

function withSetting(
  state: State,
  { type, property, value }: Of<'user_settings' | 'realm_user_settings_defaults'>,
): State {
  const settings = state[type];
  return settings === undefined ? state : { ...state, [type]: { ...settings, [property]: value } };
}

/** Some events have all of the part that they are named after. */
const wholes: readonly string[] = [
  'realm_emoji',
  'realm_linkifiers',
  'realm_playgrounds',
  'muted_users',
  'alert_words',
] satisfies (keyof State)[];

function withWhole(state: State, event: Event): State {
  if (event.type === 'custom_profile_fields') return withProfileFields(state, event.fields);
  const part = event.type as keyof State;
  if (!wholes.includes(part) || state[part] === undefined) return state;
  return { ...state, [part]: event[part as keyof Event] };
}
