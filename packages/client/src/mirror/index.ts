import { withBot } from './bots.ts';
import { withoutMessages, withUpdate } from './edits.ts';
import { withGroup } from './groups.ts';
import { withPresence } from './presence.ts';
import { withProfileFields } from './profiles.ts';
import { type Event, type MirrorOptions, type Of, pickPresent, type State } from './state.ts';
import { withStatus } from './status.ts';
import { withDefaultStreams, withStream, withSubscription, withUserTopic } from './streams.ts';
import { withFlags, withMessage } from './unread.ts';
import { withDrafts, withScheduled } from './unsent.ts';
import { withPermissions, withRealm, withUser } from './users.ts';

export type { Event, MirrorOptions, State };

type SettingEvent = Of<'user_settings' | 'realm_user_settings_defaults'>;

function withSetting(state: State, { type, property, value }: SettingEvent): State {
  const next = pickPresent(state, type, (settings) => ({ ...settings, [property]: value }));
  // A user who switches draft synchronization off loses all drafts, without an event for each.
  const isOff = type === 'user_settings' && property === 'enable_drafts_synchronization' && value === false;
  return isOff ? pickPresent(next, 'drafts', () => []) : next;
}

const changes: {
  readonly [Type in Event['type']]?: (state: State, event: Of<Type>, options: MirrorOptions) => State;
} = {
  message: withMessage,
  update_message: withUpdate,
  delete_message: withoutMessages,
  update_message_flags: withFlags,
  subscription: withSubscription,
  stream: withStream,
  default_streams: withDefaultStreams,
  user_topic: withUserTopic,
  user_settings: withSetting,
  realm_user_settings_defaults: withSetting,
  user_status: withStatus,
  presence: withPresence,
  drafts: withDrafts,
  scheduled_messages: withScheduled,
  realm_user: (state, event, options) => withPermissions(withUser(state, event, options)),
  realm_bot: withBot,
  user_group: (state, event) => withPermissions(withGroup(state, event)),
  realm: (state, event) => withPermissions(withRealm(state, event)),
  custom_profile_fields: withProfileFields,
};

/**
 * Returns the state after an event. Applying the events of a queue to the state of its registration results in what a
 * new registration would return. Parts that were not fetched stay absent.
 */
export function applyEvent<Mirror extends State>(state: Mirror, event: Event, options: MirrorOptions = {}): Mirror {
  const change = changes[event.type] as ((...args: [State, Event, MirrorOptions]) => State) | undefined;
  // No event adds or removes a part.
  return (change ?? withWhole)(state, event, options) as Mirror;
}

/** Some events contain the whole part that they are named after. */
function withWhole(state: State, event: Event): State {
  const part = event.type as keyof State;
  return part in event ? pickPresent(state, part, () => event[part as keyof Event] as never) : state;
}
