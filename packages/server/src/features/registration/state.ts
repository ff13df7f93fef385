import { sendTogether } from '@parley/db';
import type { Ctx } from '../../core/context.ts';
import type { Event, Params } from '../../core/contract.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import type { RegistrationState, StateQuery } from '../../core/state-query.ts';
import { alertWordsState } from '../alert-words/index.ts';
import { botsState } from '../bots/index.ts';
import { draftsState } from '../drafts/index.ts';
import { emojiDataUrl, emojiState } from '../emoji/index.ts';
import { starredState, unreadState } from '../flags/index.ts';
import { linkifiersState } from '../linkifiers/index.ts';
import { messageState, recentDirectState } from '../messages/index.ts';
import { mutedUsersState } from '../muted-users/index.ts';
import { playgroundsState } from '../playgrounds/index.ts';
import { presenceState } from '../presence/index.ts';
import { profileFieldsState } from '../profile-fields/index.ts';
import { realmState } from '../realm/index.ts';
import { scheduledMessagesState } from '../scheduled-messages/index.ts';
import { statusState } from '../status/index.ts';
import { defaultStreamState, streamState } from '../streams/index.ts';
import { subscriptionState } from '../subscriptions/index.ts';
import { mutedTopicState, userTopicState } from '../topics/index.ts';
import { userGroupState } from '../user-groups/index.ts';
import { settingsDefaultsState, settingsState } from '../user-settings/index.ts';
import { listVisibleUserIds, usersState } from '../users/index.ts';
import { selectStateQueries } from './queries.ts';

type Registering = Params<'registerQueue'>;
type Part = (ctx: Ctx<SnapshotCaching>) => Promise<RegistrationState>;
/** The users whom the caller sees; null for all. */
type Visible = readonly number[] | null;
type Query = (ctx: Ctx<SnapshotCaching>, params: Registering, visible: Visible) => StateQuery;
type SharedQuery = (ctx: Ctx, visible: Visible) => StateQuery;

/**
 * Parts of the state that one statement reads, by the event types that fetch them
 * (docs/behaviour/events.md#registration-state).
 */
const queries: readonly (readonly [types: string[], query: Query])[] = [
  [['message'], messageState],
  [['recent_private_conversations'], recentDirectState],
  [['realm'], realmState],
  [['realm_user'], usersState],
  [['realm_bot'], botsState],
  [['subscription'], subscriptionState],
  [['stream'], streamState],
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

/** Parts that are read for all users of an organization at once. Each changes with events of its type only. */
const sharedQueries: readonly (readonly [types: Event['type'][], query: SharedQuery])[] = [
  [['user_status'], statusState],
  [['realm_user_settings_defaults'], settingsDefaultsState],
  [['realm_emoji'], emojiState],
  [['realm_linkifiers'], linkifiersState],
  [['realm_playgrounds'], playgroundsState],
  [['custom_profile_fields'], profileFieldsState],
];

/** Parts that are shared with other callers, or have query plans of their own. */
const parts: readonly (readonly [string[], Part])[] = [
  [['realm'], async () => ({ server_emoji_data_url: emojiDataUrl() })],
  [['default_streams'], defaultStreamState],
  [['realm_user_groups', 'user_group'], userGroupState],
];

/** The values of the shared queries. */
interface SharedState {
  readonly found: readonly unknown[];
  readonly bytes: number;
}

const sharedSnapshot = { name: 'organization', invalidatedBy: sharedQueries.flatMap(([types]) => types) };

const unreadTypes = ['update_message_flags'];

/** The names that fetch a part of the state. */
export const stateTypes: readonly string[] = [
  ...[...queries, ...sharedQueries, ...parts].flatMap(([types]): string[] => types),
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
  const visible = [...queries, ...sharedQueries].some(([types]) => isSelected(types)) ? await listVisible(ctx) : null;
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
  return { isSelected, visible, queries: stateQueries, found, unread };
}

/** Adds the state that a queue starts from to the response. */
export async function addState<Start extends object>(
  ctx: Ctx<SnapshotCaching>,
  { isSelected, visible, queries, found, unread }: ReadState,
  response: Start,
): Promise<Start & RegistrationState> {
  for (const [n, query] of queries.entries()) {
    if (query.isSelected) Object.assign(response, await query.toState(found[n] as never));
  }
  Object.assign(response, unread);
  await addSharedState(ctx, { visible, isSelected }, response);
  for (const [types, part] of parts) if (isSelected(types)) Object.assign(response, await part(ctx));
  return response;
}

async function addSharedState(
  ctx: Ctx<SnapshotCaching>,
  { visible, isSelected }: Selection,
  response: object,
): Promise<void> {
  if (!sharedQueries.some(([types]) => isSelected(types))) return;
  const queries = sharedQueries.map(([types, query]) => ({ ...query(ctx, visible), isSelected: isSelected(types) }));
  const { found } = await ctx.server.snapshotCache.getOrCompute(ctx, sharedSnapshot, () => readShared(ctx, queries));
  for (const [n, query] of queries.entries()) {
    if (query.isSelected) Object.assign(response, await query.toState(found[n] as never));
  }
}

/** All of them, whichever are selected: the next caller can select others. */
async function readShared({ db }: Ctx, queries: readonly StateQuery[]): Promise<SharedState> {
  const found = await selectStateQueries(
    db,
    queries.map((query) => ({ ...query, isSelected: true })),
  );
  return { found, bytes: JSON.stringify(found).length };
}

type SelectedQuery = StateQuery & { readonly isSelected: boolean };

interface Selection {
  readonly isSelected: (types: readonly string[]) => boolean;
  readonly visible: Visible;
}

async function listVisible(ctx: Ctx): Promise<Visible> {
  const visible = await listVisibleUserIds(ctx);
  return visible === 'all' ? null : [...visible];
}

/** The queries of the state; none if none is selected. */
function createStateQueries(
  ctx: Ctx<SnapshotCaching>,
  { params, visible, isSelected }: Selection & { readonly params: Registering },
): SelectedQuery[] {
  if (!queries.some(([types]) => isSelected(types))) return [];
  return queries.map(([types, query]) => ({ ...query(ctx, params, visible), isSelected: isSelected(types) }));
}
