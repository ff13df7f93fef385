import { sendTogether } from '@parley/db';
import type { Ctx } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { PartlySerializedResponse } from '../../core/preserialized-fields.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import type { RegistrationState, StateQuery } from '../../core/state-query.ts';
import { alertWordsState } from '../alert-words/index.ts';
import { botsState } from '../bots/index.ts';
import { draftsState } from '../drafts/index.ts';
import { emojiDataUrl } from '../emoji/index.ts';
import { starredState, unreadState } from '../flags/index.ts';
import { messageState, recentDirectState } from '../messages/index.ts';
import { mutedUsersState } from '../muted-users/index.ts';
import { presenceState } from '../presence/index.ts';
import { serverState } from '../realm/index.ts';
import { scheduledMessagesState } from '../scheduled-messages/index.ts';
import { defaultStreamState } from '../streams/index.ts';
import { subscriptionState } from '../subscriptions/index.ts';
import { mutedTopicState, userTopicState } from '../topics/index.ts';
import { isListedAsFullMember, userGroupState } from '../user-groups/index.ts';
import { settingsState } from '../user-settings/index.ts';
import { listVisibleUserIds, usersState } from '../users/index.ts';
import { selectStateQueries } from './queries.ts';
import { readSharedState, type Selection, sharedTypes, type Visible } from './shared-state.ts';

type Registering = Params<'registerQueue'>;
type Part = (ctx: Ctx<SnapshotCaching>, params: Registering) => Promise<RegistrationState>;
type Query = (ctx: Ctx<SnapshotCaching>, params: Registering, visible: Visible) => StateQuery;

/**
 * Parts of the state that one statement reads, by the event types that fetch them
 * (docs/behaviour/events.md#registration-state).
 */
const queries: readonly (readonly [types: string[], query: Query])[] = [
  [['message'], messageState],
  [['recent_private_conversations'], recentDirectState],
  [['realm'], serverState],
  [
    ['subscription', 'stream'],
    (ctx, params) => {
      const isSelected = selectorOf(params);
      const lists = { subscriptions: isSelected(['subscription']), streams: isSelected(['stream']) };
      return subscriptionState(ctx, { ...params, lists });
    },
  ],
  [['starred_messages'], starredState],
  [['user_settings'], settingsState],
  [['presence'], presenceState],
  [['muted_users'], mutedUsersState],
  [['alert_words'], alertWordsState],
  [['scheduled_messages'], scheduledMessagesState],
  [['drafts'], draftsState],
  // Both read the same, and old clients get the muted topics only.
  [
    ['user_topic', 'muted_topics'],
    (ctx, params) => (selectorOf(params)(['user_topic']) ? userTopicState(ctx) : mutedTopicState(ctx)),
  ],
];

const queryTypes = queries.flatMap(([types]) => types);

/** Parts that are shared with other callers, each by a cache of its own. */
const parts: readonly (readonly [string[], Part])[] = [
  [
    ['realm_user'],
    async (ctx, params) => usersState(ctx, { ...params, is_full_member: await isListedAsFullMember(ctx, ctx.me) }),
  ],
  [['realm_bot'], botsState],
  [['realm'], async () => ({ server_emoji_data_url: emojiDataUrl() })],
  [['default_streams'], defaultStreamState],
  [['realm_user_groups', 'user_group'], userGroupState],
];

const unreadTypes = ['update_message_flags'];

/** The names that fetch a part of the state. */
export const stateTypes: readonly string[] = [
  ...queryTypes,
  ...parts.flatMap(([types]) => types),
  ...sharedTypes,
  ...unreadTypes,
];

/** Whether a queue starts from any part of the state. */
export const fetchesState = (params: Registering): boolean => selectorOf(params)(stateTypes);

/** The parts that are fetched, as selected by `fetch_event_types`, else by `event_types`. */
function selectorOf({ fetch_event_types, event_types }: Registering): (types: readonly string[]) => boolean {
  const selected = fetch_event_types ?? event_types;
  return (types) => !selected || types.some((type) => selected.includes(type));
}

/** What the database has of the state. */
interface ReadState {
  readonly params: Registering;
  readonly isSelected: Selection['isSelected'];
  readonly visible: Visible;
  readonly queries: readonly SelectedQuery[];
  /** The values of these queries. */
  readonly found: readonly unknown[];
  readonly unread: RegistrationState;
}

/** Reads the state in one round trip, after the one statement of each of `before`. */
export async function readState(
  ctx: Ctx<SnapshotCaching>,
  params: Registering,
  before: readonly (() => Promise<void>)[] = [],
): Promise<ReadState> {
  const isSelected = selectorOf(params);
  const visible = isSelected([...queryTypes, ...sharedTypes]) ? await listVisible(ctx) : null;
  const stateQueries = createStateQueries(ctx, { params, visible, isSelected });
  let found: unknown[] = [];
  let unread: RegistrationState = {};
  const select = async () => {
    found = await selectStateQueries(ctx.db, stateQueries);
  };
  // Its query has a plan of its own.
  const selectUnread = async () => {
    unread = await unreadState(ctx);
  };
  await sendTogether(
    ctx.db,
    ...before,
    ...(stateQueries.length > 0 ? [select] : []),
    ...(isSelected(unreadTypes) ? [selectUnread] : []),
  );
  return { params, isSelected, visible, queries: stateQueries, found, unread };
}

/** Adds the state that a queue starts from to the response. */
export async function addState<Start extends object>(
  ctx: Ctx<SnapshotCaching>,
  { params, isSelected, visible, queries, found, unread }: ReadState,
  response: Start,
): Promise<PartlySerializedResponse<Start & RegistrationState, RegistrationState>> {
  for (const [n, query] of queries.entries()) {
    if (query.isSelected) Object.assign(response, await query.toState(found[n] as never));
  }
  for (const [types, part] of parts) if (isSelected(types)) Object.assign(response, await part(ctx, params));
  const { shared, own } = await readSharedState(ctx, { visible, isSelected });
  return new PartlySerializedResponse(Object.assign(response, unread, own), shared);
}

type SelectedQuery = StateQuery & { readonly isSelected: boolean };

async function listVisible(ctx: Ctx): Promise<Visible> {
  const visible = await listVisibleUserIds(ctx);
  return visible === 'all' ? null : [...visible];
}

/** The queries of the state; none if none is selected. */
function createStateQueries(
  ctx: Ctx<SnapshotCaching>,
  { params, visible, isSelected }: Selection & { readonly params: Registering },
): SelectedQuery[] {
  if (!isSelected(queryTypes)) return [];
  return queries.map(([types, query]) => ({ ...query(ctx, params, visible), isSelected: isSelected(types) }));
}
