import type { Ctx } from '../../core/context.ts';
import type { Params, Schema } from '../../core/contract.ts';
import type { MayBeWritten } from '../../core/written.ts';
import { alertWordsState } from '../alert-words/index.ts';
import { botsState } from '../bots/index.ts';
import { draftsState } from '../drafts/index.ts';
import { emojiState } from '../emoji/index.ts';
import { starredState, unreadState } from '../flags/index.ts';
import { linkifiersState } from '../linkifiers/index.ts';
import { messageState } from '../messages/index.ts';
import { mutedUsersState } from '../muted-users/index.ts';
import { playgroundsState } from '../playgrounds/index.ts';
import { presenceState } from '../presence/actions/index.ts';
import { profileFieldsState } from '../profile-fields/index.ts';
import { realmState } from '../realm/index.ts';
import { scheduledMessagesState } from '../scheduled-messages/index.ts';
import { settingsDefaultsState, settingsState } from '../settings/index.ts';
import { statusState } from '../status/actions/index.ts';
import { defaultStreamState, streamState } from '../streams/index.ts';
import { subscriptionState } from '../subscriptions/index.ts';
import { userTopicState } from '../topics/index.ts';
import { userGroupState } from '../user-groups/index.ts';
import { usersState } from '../users/index.ts';

type State = MayBeWritten<Partial<Schema<'State'>>>;
type Registering = Params<'registerQueue'>;
type Part = (ctx: Ctx, params: Registering) => Promise<State>;

/** Each part of the state, by the event types that fetch it (behaviour 6.1). */
const parts: readonly (readonly [string[], Part])[] = [
  [['message'], (ctx) => messageState(ctx)],
  [['realm'], (ctx) => realmState(ctx)],
  [['realm_user'], (ctx, { client_gravatar }) => usersState(ctx, { client_gravatar })],
  [['realm_bot'], (ctx) => botsState(ctx)],
  [['subscription'], (ctx, { include_subscribers }) => subscriptionState(ctx, { include_subscribers })],
  [['stream'], (ctx) => streamState(ctx)],
  [['default_streams'], (ctx) => defaultStreamState(ctx)],
  [['update_message_flags'], (ctx) => unreadState(ctx)],
  [['starred_messages'], (ctx) => starredState(ctx)],
  [['user_settings'], (ctx) => settingsState(ctx)],
  [['realm_user_settings_defaults'], (ctx) => settingsDefaultsState(ctx)],
  [['user_status'], (ctx) => statusState(ctx)],
  [['presence'], (ctx, { slim_presence }) => presenceState(ctx, { slim_presence })],
  [['muted_users'], (ctx) => mutedUsersState(ctx)],
  [['alert_words'], (ctx) => alertWordsState(ctx)],
  [['scheduled_messages'], (ctx) => scheduledMessagesState(ctx)],
  [['drafts'], (ctx) => draftsState(ctx)],
  [['user_topic'], (ctx) => userTopicState(ctx)],
  [['realm_emoji'], (ctx) => emojiState(ctx)],
  [['realm_linkifiers'], (ctx) => linkifiersState(ctx)],
  [['realm_playgrounds'], (ctx) => playgroundsState(ctx)],
  [['custom_profile_fields'], (ctx) => profileFieldsState(ctx)],
  [['realm_user_groups', 'user_group'], (ctx) => userGroupState(ctx)],
];

/** The state that a queue starts from; `fetch_event_types`, else `event_types`, say which parts. */
export async function stateFor(ctx: Ctx, params: Registering): Promise<State> {
  const wanted = params.fetch_event_types ?? params.event_types;
  const state: State = {};
  for (const [types, part] of parts) {
    if (wanted && !types.some((type) => wanted.includes(type))) continue;
    Object.assign(state, await part(ctx, params));
  }
  return state;
}
