// The facts that decide which queues get which events, apart from the contents of messages: one statement for all of
// them, and another one after an account has changed.
import { type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { canReadStreamContent, isInAudience } from '../../../access/rules-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';
import type { Queue } from '../../../core/polls.ts';
import { AccountVersion, type ActiveAccount, type KnownAccounts } from '../known-accounts.ts';
import { type AudienceFacts, getAudienceConversation, getAudienceStream, type LoggedEvent } from '../rules.ts';

export interface DeliveryFacts extends Omit<AudienceFacts, 'reading'> {
  /** The conversations that the messages of `message` events are in now, by message id. */
  readonly conversation_ids: ReadonlyMap<number, number>;
}

/** Where the facts come from: the database, and what the process remembers of it. */
export interface DeliverySource {
  readonly db: Db;
  readonly accounts: KnownAccounts;
}

interface AccountsRow {
  /** Empty in an organization where no account has changed yet. */
  readonly version: string;
  readonly accounts: ActiveAccount[];
}

interface FactsRow extends AccountsRow {
  readonly tokens: { id: number }[];
  readonly members: { event_id: number; user_id: number }[];
  readonly streams: { id: number }[];
  readonly locations: { id: number; conversation_id: number }[];
}

/** The facts at this moment. All queues are of one organization. */
export async function loadDeliveryFacts(
  { db, accounts: known }: DeliverySource,
  realm_id: number,
  events: readonly LoggedEvent[],
  queues: readonly Pick<Queue, 'user_id' | 'token'>[],
): Promise<DeliveryFacts> {
  const users = [...new Set(queues.map(({ user_id }) => user_id))];
  const before = known.get(realm_id);
  const unknown = before?.listUnknown(users) ?? users;
  const found = await selectFacts(db, { realm_id, events, queues, users, unknown });
  const { tokens = [], members = [], streams = [], locations = [] } = found;
  const { roles, key_versions } = await rememberAccounts({ db, accounts: known }, { realm_id, users, unknown }, found);
  return {
    roles,
    key_versions,
    token_ids: new Set(tokens.map(({ id }) => id)),
    members: groupByEvent(members),
    public_streams: new Set(streams.map(({ id }) => id)),
    conversation_ids: new Map(locations.map(({ id, conversation_id }) => [id, conversation_id])),
  };
}

interface FactsAbout {
  readonly realm_id: number;
  readonly events: readonly LoggedEvent[];
  readonly queues: readonly Pick<Queue, 'token'>[];
  readonly users: readonly number[];
  /** Users whose accounts are not known. */
  readonly unknown: readonly number[];
}

/** What the events do not depend on is left out, so that PostgreSQL need not plan it. */
async function selectFacts(
  db: Db,
  { realm_id, events, queues, users, unknown }: FactsAbout,
): Promise<Partial<FactsRow> & AccountsRow> {
  const token_ids = listTokenIds(queues);
  const stream_ids = events.flatMap(({ audience }) => getAudienceStream(audience) ?? []);
  const message_ids = events.flatMap(({ payload: p }) => (p.type === 'message' ? [p.message.id] : []));
  const isInConversation = events.some(({ audience }) => getAudienceConversation(audience));
  const columns = [accountColumns(realm_id, unknown)];
  const add = (name: string, select: SQL) => void columns.push(sql`${jsonRows(select)} as ${sql.raw(name)}`);
  const own = (ids: readonly number[]) => sql`realm_id = ${realm_id} and id = any(${toBigints(ids)})`;
  if (token_ids.length > 0) add('tokens', sql`select id from tokens where ${own(token_ids)}`);
  if (isInConversation) add('members', selectMembers(realm_id, events, users));
  if (stream_ids.length > 0) add('streams', selectPublicStreams(own(stream_ids)));
  if (message_ids.length > 0) add('locations', sql`select id, conversation_id from messages where ${own(message_ids)}`);
  // How the members of many users are read best depends on the conversation.
  const plan = isInConversation && users.length > FEW ? sql`` : withGenericPlan;
  const query = sql`select ${plan} ${sql.join(columns, sql`, `)}`;
  return requireRow(await rows<Partial<FactsRow> & AccountsRow>(db, query));
}

/** Those of the streams whose content all members can read. */
const selectPublicStreams = (which: SQL): SQL =>
  sql`select s.id from streams s where ${which} and ${canReadStreamContent({ is_guest: sql`false` }, sql`s`, sql`false`)}`;

/** Few of thousands have a token. */
function listTokenIds(queues: FactsAbout['queues']): number[] {
  const ids: number[] = [];
  for (const { token } of queues) if (token) ids.push(token.id);
  return ids;
}

/** The version of all accounts, and these accounts in it. */
const accountColumns = (realm_id: number, ids: readonly number[]): SQL => sql`
  coalesce((select version::text from account_versions where realm_id = ${realm_id}), '') as version,
  ${jsonRows(sql`select u.id, u.role, u.key_version from unnest(${bigints(ids)}) as w(id)
    join users u on u.realm_id = ${realm_id} and u.id = w.id and u.is_active`)} as accounts`;

function requireRow<Row>([row]: readonly Row[]): Row {
  if (!row) throw new Error('A select without a table has one row.');
  return row;
}

/** Returns the accounts in one version: all of them are read again if it is another one than before. */
async function rememberAccounts(
  { db, accounts: known }: DeliverySource,
  { realm_id, users, unknown }: Pick<FactsAbout, 'realm_id' | 'users' | 'unknown'>,
  found: AccountsRow,
): Promise<AccountVersion> {
  const before = known.get(realm_id);
  const isWhole = unknown.length === users.length;
  const read = new Set(unknown);
  // Another reading may have replaced what was known before this one.
  if (before?.version === found.version && before.listUnknown(users).every((id) => read.has(id))) {
    before.add(unknown, found.accounts);
    if (unknown.length > 0) known.set(realm_id, before);
    return before;
  }
  const whole = isWhole
    ? found
    : requireRow(await rows<AccountsRow>(db, sql`select ${withGenericPlan} ${accountColumns(realm_id, users)}`));
  const renewed = new AccountVersion(whole.version);
  renewed.add(users, whole.accounts);
  known.set(realm_id, renewed);
  return renewed;
}

const toBigints = (ids: readonly number[]): SQL => bigints([...new Set(ids)]);

// The membership `m` of a user in the conversation of an event `e`.
const isSubscriber = isInAudience({
  subscribed: sql`m.active`,
  by_number: sql`e.seq is not null`,
  received: sql`m.received @> e.seq`,
});

/** Up to this number of users, the membership of each is looked up. Beyond it, those of a conversation are read. */
const FEW = 50;

/**
 * Which of the users are in the conversations that events are for. A conversation is read once for all its events. `limit` and `offset` keep
 * the planner from reading the conversations of each user, or all memberships, to join them.
 */
function selectMembers(realm_id: number, events: readonly LoggedEvent[], users: readonly number[]): SQL {
  const about = events.flatMap(({ id, audience }) => {
    const conversation = getAudienceConversation(audience);
    return conversation ? [{ id, conversation }] : [];
  });
  const conversation_ids = about.map(({ conversation }) => conversation.id);
  const memberships = sql`select x.user_id, x.active, x.received from memberships x where x.realm_id = ${realm_id} and x.conversation_id = c.id`;
  const ofUsers =
    users.length <= FEW
      ? sql`cross join lateral (${memberships} and x.user_id = w.id limit 1) x`
      : sql`join lateral (${memberships} and x.active offset 0) x on x.user_id = w.id`;
  return sql`select e.id as event_id, m.user_id
    from (
      select c.id as conversation_id, x.* from unnest(${toBigints(conversation_ids)}) as c(id) cross join unnest(${bigints(users)}) as w(id) ${ofUsers} offset 0
    ) m
    join unnest(${bigints(about.map(({ id }) => id))}, ${bigints(conversation_ids)},
                ${sql.param(about.map(({ conversation }) => conversation.seq ?? null))}::int[]) as e(id, conversation_id, seq)
      on e.conversation_id = m.conversation_id
    where ${isSubscriber}`;
}

function groupByEvent(members: FactsRow['members']): Map<number, Set<number>> {
  const events = new Map<number, Set<number>>();
  for (const { event_id, user_id } of members) {
    const users = events.get(event_id) ?? new Set();
    events.set(event_id, users.add(user_id));
  }
  return events;
}
