// The parts of the state that are the same for all callers: they are read, serialized and validated once for all of these.
import type { Ctx } from '../../core/context.ts';
import type { Event } from '../../core/contract.ts';
import { PreserializedFields } from '../../core/preserialized-fields.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import type { RegistrationState, StateQuery } from '../../core/state-query.ts';
import { emojiState } from '../emoji/index.ts';
import { linkifiersState } from '../linkifiers/index.ts';
import { playgroundsState } from '../playgrounds/index.ts';
import { profileFieldsState } from '../profile-fields/index.ts';
import { realmState } from '../realm/index.ts';
import { statusState } from '../status/index.ts';
import { settingsDefaultsState } from '../user-settings/index.ts';
import { selectStateQueries } from './queries.ts';

/** The users whom the caller sees; null for all. */
export type Visible = readonly number[] | null;

export interface Selection {
  readonly isSelected: (types: readonly string[]) => boolean;
  readonly visible: Visible;
}

type SharedQuery = (ctx: Ctx, visible: Visible) => StateQuery;

/** Parts that one statement reads. Each changes with events of its type only. */
const queries: readonly (readonly [types: Event['type'][], query: SharedQuery])[] = [
  [['user_status'], statusState],
  [['realm_user_settings_defaults'], settingsDefaultsState],
  [['realm_emoji'], emojiState],
  [['realm_linkifiers'], linkifiersState],
  [['realm_playgrounds'], playgroundsState],
  [['custom_profile_fields'], profileFieldsState],
];
const queryTypes = queries.flatMap(([types]) => types);
const realmTypes = ['realm'];

/** The names that fetch one of these parts. */
export const sharedTypes: readonly string[] = [...realmTypes, ...queryTypes];

const snapshot = { name: 'shared state', invalidatedBy: queryTypes };

interface SharedValues {
  /** The values of the queries. */
  readonly found: readonly unknown[];
  /** The parts, for those who see all users. */
  readonly parts: readonly PreserializedFields<RegistrationState>[];
  readonly bytes: number;
}

interface SharedState {
  readonly shared: readonly PreserializedFields<RegistrationState>[];
  /** Of the same parts, what only the caller has. */
  readonly own: RegistrationState;
}

/** The selected parts. */
export async function readSharedState(
  ctx: Ctx<SnapshotCaching>,
  { visible, isSelected }: Selection,
): Promise<SharedState> {
  const shared = isSelected(realmTypes) ? [await realmState(ctx)] : [];
  const own = {};
  if (!isSelected(queryTypes)) return { shared, own };
  const { found, parts } = await ctx.server.snapshotCache.getOrCompute(ctx, snapshot, () => readAll(ctx));
  for (const [n, [types, query]] of queries.entries()) {
    if (!isSelected(types)) continue;
    const part = visible === null ? parts[n] : undefined;
    if (part) shared.push(part);
    else Object.assign(own, await query(ctx, visible).toState(found[n] as never));
  }
  return { shared, own };
}

/** All of them, whichever are selected: the next caller can select others. */
async function readAll(ctx: Ctx): Promise<SharedValues> {
  const all = queries.map(([, query]) => query(ctx, null));
  const found = await selectStateQueries(
    ctx.db,
    all.map((query) => ({ ...query, isSelected: true })),
  );
  const states = await Promise.all(all.map(async ({ toState }, n) => toState(found[n] as never)));
  const parts = states.map((state) => new PreserializedFields(state));
  return { found, parts, bytes: parts.reduce((sum, { bytes }) => sum + bytes, JSON.stringify(found).length) };
}
