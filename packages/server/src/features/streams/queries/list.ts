import { type Db, defineQuery, rows, tables, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, getTableColumns, isNull, type SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import { countWeeklyTraffic } from '../rules/list.ts';
import { streamKey } from '../rules/posting.ts';

const { streams, conversations, memberships } = tables;

/** A stream, with the newest reserved number of its conversation. */
export type Stream = typeof streams.$inferSelect & { readonly last_seq: number };
/** A stream and a user's relation to it. Whether the user can see it is decided in `rules.ts`. */
export type SeenStream = Stream & { readonly subscribed: boolean };

/** The organization to query, and the user. A context is one. */
export interface StreamViewer {
  readonly db: Db;
  readonly realm: { readonly id: number };
  readonly me: { readonly id: number };
}

type Whose = { readonly realm_id: number; readonly me_id: number };

const whose = ({ realm, me }: StreamViewer): Whose => ({ realm_id: realm.id, me_id: me.id });

const selectSeen = (db: Db, which?: SQL) =>
  db
    .select({
      ...getTableColumns(streams),
      last_seq: conversations.last_seq,
      subscribed: sql<boolean>`coalesce(${memberships.active}, false)`,
    })
    .from(streams)
    .innerJoin(conversations, and(eq(conversations.realm_id, streams.realm_id), eq(conversations.id, streams.id)))
    .leftJoin(
      memberships,
      and(
        eq(memberships.realm_id, streams.realm_id),
        eq(memberships.conversation_id, streams.id),
        eq(memberships.user_id, sql.placeholder('me_id')),
      ),
    )
    .where(and(eq(streams.realm_id, sql.placeholder('realm_id')), isNull(streams.archived_at), which))
    .orderBy(sql`${streams.name} collate "C"`);

/** The same, with their conversations locked until the commit. */
const lockSeen = (db: Db, which: SQL) => selectSeen(db, which).for('no key update', { of: conversations });

const selectAll = defineQuery<SeenStream, Whose>('list_streams', (db) => selectSeen(db));
// PostgreSQL keeps a plan for one id, and makes another for each list of ids.
const selectById = defineQuery<SeenStream, Whose & { id: number }>('find_stream_by_id', (db) =>
  selectSeen(db, sql`${streams.id} = ${sql.placeholder('id')}`),
);
const selectByIds = defineQuery<SeenStream, Whose & { ids: number[] }>('list_streams_by_ids', (db) =>
  selectSeen(db, sql`${streams.id} = any(${sql.placeholder('ids')}::bigint[])`),
);
const selectByNames = defineQuery<SeenStream, Whose & { keys: string[] }>('list_streams_by_names', (db) =>
  selectSeen(db, sql`${streams.name_key} = any(${sql.placeholder('keys')}::text[])`),
);

const lockById = defineQuery<SeenStream, Whose & { id: number }>('lock_stream_by_id', (db) =>
  lockSeen(db, sql`${streams.id} = ${sql.placeholder('id')}`),
);
const lockByName = defineQuery<SeenStream, Whose & { key: string }>('lock_stream_by_name', (db) =>
  lockSeen(db, sql`${streams.name_key} = ${sql.placeholder('key')}`),
);

export async function findStreamById(viewer: StreamViewer, id: number): Promise<SeenStream | undefined> {
  const [stream] = await selectById(viewer.db, { ...whose(viewer), id });
  return stream;
}

/** The streams of these ids, by id. */
export async function findStreamsByIds(viewer: StreamViewer, ids: readonly number[]): Promise<Map<number, SeenStream>> {
  if (ids.length === 0) return new Map();
  const found = await selectByIds(viewer.db, { ...whose(viewer), ids: [...new Set(ids)] });
  return new Map(found.map((stream) => [stream.id, stream]));
}

/** The streams of these names, by `streamKey`. Archived streams have released their names. */
export async function findStreamsByNames(
  viewer: StreamViewer,
  names: readonly string[],
): Promise<Map<string, SeenStream>> {
  if (names.length === 0) return new Map();
  const keys = [...new Set(names.map(streamKey))];
  const found = await selectByNames(viewer.db, { ...whose(viewer), keys });
  return new Map(found.map((stream) => [stream.name_key, stream]));
}

/**
 * Returns the stream of this id or name, with its conversation locked until the commit. The state is from before the
 * wait for the lock: see `jsonPostableStream`.
 */
export async function findAndLockStream(
  viewer: StreamViewer,
  target: number | string,
): Promise<SeenStream | undefined> {
  const [stream] =
    typeof target === 'number'
      ? await lockById(viewer.db, { ...whose(viewer), id: target })
      : await lockByName(viewer.db, { ...whose(viewer), key: streamKey(target) });
  return stream;
}

/** Every stream that is not archived, by name in the order of code points. */
export async function listStreams(viewer: StreamViewer): Promise<SeenStream[]> {
  return selectAll(viewer.db, whose(viewer));
}

/** The first messages of those of these streams that have one. */
export async function listFirstMessages(
  db: Db,
  realm_id: number,
  stream_ids: readonly number[],
): Promise<{ id: number; first_message_id: number }[]> {
  if (stream_ids.length === 0) return [];
  return rows(
    db,
    sql`select id, first_message_id from streams
        where realm_id = ${realm_id} and id = any(${bigints(stream_ids)}) and first_message_id is not null`,
  );
}

/** Ids of the streams that a user is subscribed to. */
export async function listSubscribedIds(db: Db, realm_id: number, user_id: number): Promise<Set<number>> {
  const found = await rows<{ conversation_id: number }>(
    db,
    sql`select conversation_id from memberships where realm_id = ${realm_id} and user_id = ${user_id} and active`,
  );
  return new Set(found.map(({ conversation_id }) => conversation_id));
}

/** Active users and bots in a stream, ascending. */
export async function listSubscriberIds(db: Db, realm_id: number, stream_id: number): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select u.id from memberships m join users u on u.realm_id = m.realm_id and u.id = m.user_id and u.is_active
        where m.realm_id = ${realm_id} and m.conversation_id = ${stream_id} and m.active order by u.id`,
  );
  return found.map(({ id }) => id);
}

/** The most recent messages of a stream that are counted one by one. */
const COUNTED = 10_000;

/**
 * Messages per week of each stream; null for a stream that is too young. It reads the messages of these weeks, and none of
 * before: ids are in order of time, so the first of them is found by halving. In a stream with more than `COUNTED` numbers
 * since then it counts the numbers, which includes deleted messages: the figure has two digits.
 */
export async function listWeeklyTraffic(
  db: Db,
  realm_id: number,
  stream_ids: readonly number[],
  now: Date,
): Promise<Map<number, number | null>> {
  if (stream_ids.length === 0) return new Map();
  const at = sql`${now.toISOString()}::timestamptz`;
  // Streams that are too young for a figure are not counted at all.
  const found = await rows<{ id: number; age_days: number; recent: number }>(
    db,
    sql`with ${withGenericPlan} recursive halving (low, high) as (
          select 0::bigint, (select coalesce(max(id), 0) from messages where realm_id = ${realm_id})
          union all
          select case when middle.is_old then middle.id else h.low end, case when middle.is_old then h.high else (h.low + h.high) / 2 end
          from halving h cross join lateral (
            select m.id, m.sent_at <= ${at} - interval '28 days' as is_old from messages m
            where m.realm_id = ${realm_id} and m.id > (h.low + h.high) / 2 order by m.id limit 1
          ) middle
          where h.low < h.high
        ),
        oldest as materialized (select max(low) as low from halving)
        select s.id, s.age_days, case when s.age_days < 7 then 0 when s.numbers > ${COUNTED} then s.numbers else (
          select count(*) from messages m
          where m.realm_id = ${realm_id} and m.conversation_id = s.id and m.id > (select low from oldest)
            and m.sent_at > ${at} - interval '28 days'
        ) end::int as recent
        from (
          select st.id, floor(extract(epoch from ${at} - st.created_at) / 86400)::int as age_days, c.last_seq + 1 - (
            select m.seq from messages m
            where m.realm_id = ${realm_id} and m.conversation_id = st.id and m.id > (select low from oldest) order by m.id limit 1
          ) as numbers
          from streams st join conversations c on c.realm_id = st.realm_id and c.id = st.id
          where st.realm_id = ${realm_id} and st.id = any(${bigints(stream_ids)})
        ) s`,
  );
  return new Map(found.map(({ id, age_days, recent }) => [id, countWeeklyTraffic(age_days, recent)]));
}
