import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { RequestLimitName } from './collection-limits.ts';

/** The account, organization, message or queue whose items are counted. */
export interface CountedOwner {
  readonly realm_id: number;
  readonly user_id: number;
  readonly message_id: number;
  readonly now: Date;
}

const dayBefore = (now: Date): SQL => sql`${now.toISOString()}::timestamptz - interval '1 day'`;
const own = ({ realm_id, user_id }: CountedOwner): SQL => sql`realm_id = ${realm_id} and user_id = ${user_id}`;
const custom = ({ realm_id }: CountedOwner): SQL => sql`g.realm_id = ${realm_id} and not g.is_system_group`;

type BytesLimitName = Extract<RequestLimitName, `${string}_bytes`>;

/** What each limit on rows counts. */
const counted: Readonly<Record<Exclude<RequestLimitName, BytesLimitName>, (owner: CountedOwner) => SQL>> = {
  event_queues: (owner) =>
    sql`event_queues where ${own(owner)} and expires_at > ${owner.now.toISOString()}::timestamptz`,
  tokens: (owner) => sql`tokens where ${own(owner)}`,
  bots: ({ realm_id, user_id }) => sql`users where realm_id = ${realm_id} and bot_owner_id = ${user_id} and is_active`,
  new_bots: ({ realm_id, user_id, now }) =>
    sql`users where realm_id = ${realm_id} and bot_owner_id = ${user_id} and date_joined > ${dayBefore(now)}`,
  bot_storage: (owner) => sql`bot_storage where ${own(owner)}`,
  drafts: (owner) => sql`drafts where ${own(owner)}`,
  scheduled_messages: (owner) => sql`scheduled_messages where ${own(owner)} and sent_at is null`,
  alert_words: (owner) => sql`alert_words where ${own(owner)}`,
  user_topics: (owner) => sql`user_topics where ${own(owner)}`,
  muted_users: (owner) => sql`muted_users where ${own(owner)}`,
  uploads: (owner) => sql`uploads where ${own(owner)}`,
  new_streams: ({ realm_id, user_id, now }) =>
    sql`streams where realm_id = ${realm_id} and creator_id = ${user_id} and created_at > ${dayBefore(now)}`,
  applications: ({ realm_id }) => sql`applications where realm_id = ${realm_id}`,
  streams: ({ realm_id }) => sql`streams where realm_id = ${realm_id} and archived_at is null`,
  user_groups: (owner) => sql`user_groups g where ${custom(owner)}`,
  group_members: (owner) =>
    sql`user_groups g join user_group_members m on m.realm_id = g.realm_id and m.group_id = g.id where ${custom(owner)}`,
  subgroups: (owner) =>
    sql`user_groups g join user_group_subgroups s on s.realm_id = g.realm_id and s.group_id = g.id where ${custom(owner)}`,
  custom_emoji: ({ realm_id }) => sql`custom_emoji where realm_id = ${realm_id} and not deactivated`,
  all_custom_emoji: ({ realm_id }) => sql`custom_emoji where realm_id = ${realm_id}`,
  linkifiers: ({ realm_id }) => sql`linkifiers where realm_id = ${realm_id}`,
  playgrounds: ({ realm_id }) => sql`playgrounds where realm_id = ${realm_id}`,
  profile_fields: ({ realm_id }) => sql`profile_fields where realm_id = ${realm_id}`,
  reactions: ({ realm_id, message_id }) => sql`reactions where realm_id = ${realm_id} and message_id = ${message_id}`,
  own_reactions: (owner) => sql`reactions where ${own(owner)} and message_id = ${owner.message_id}`,
};

/** What each limit on bytes adds up. */
const summed: Readonly<Record<BytesLimitName, (owner: CountedOwner) => SQL>> = {
  upload_bytes: (owner) => sql`sum(size) as sum from uploads where ${own(owner)}`,
  bot_storage_bytes: (owner) => sql`sum(bytes) as sum from bot_storage where ${own(owner)}`,
  draft_bytes: (owner) => sql`sum(bytes) as sum from drafts where ${own(owner)}`,
  scheduled_message_bytes: (owner) =>
    sql`sum(bytes) as sum from scheduled_messages where ${own(owner)} and sent_at is null`,
};

const isOfBytes = (name: RequestLimitName): name is BytesLimitName => name in summed;

/** How many there are. */
export async function countCollection(db: Db, name: RequestLimitName, owner: CountedOwner): Promise<number> {
  const what = isOfBytes(name)
    ? sql`coalesce(sum, 0)::bigint as count from (select ${summed[name](owner)}) as bytes`
    : sql`count(*)::int as count from ${counted[name](owner)}`;
  const [found] = await rows<{ count: number }>(db, sql`select ${what}`);
  return found?.count ?? 0;
}

/** An SQL condition: one more fits within a limit on rows. The collection must be locked by an earlier statement. */
export const fitsOneMore = (name: Exclude<RequestLimitName, BytesLimitName>, owner: CountedOwner, limit: number): SQL =>
  sql`(select count(*) from ${counted[name](owner)}) < ${limit}::int`;

/** Serializes requests that add to the same collection, until they commit. */
export async function lockCollection(db: Db, key: string): Promise<void> {
  await rows(db, sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
}
