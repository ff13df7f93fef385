// The facts that decide which queues get which events, apart from the contents of messages: one statement for all of
// them.
import { type Db, rows } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import { canReadStreamContent, isInAudience } from '../../../access/rules-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';
import type { Queue } from '../../../core/polls.ts';
import { type AudienceFacts, getAudienceConversation, getAudienceStream, type LoggedEvent } from '../rules.ts';

export interface DeliveryFacts extends Omit<AudienceFacts, 'reading'> {
  /** The conversations that the messages of `message` events are in now, by message id. */
  readonly conversation_ids: ReadonlyMap<number, number>;
}

interface FactsRow {
  readonly accounts: { id: number; role: number; key_version: number }[];
  readonly tokens: { id: number }[];
  readonly members: { event_id: number; user_id: number }[];
  readonly streams: { id: number }[];
  readonly locations: { id: number; conversation_id: number }[];
}

/** The facts at this moment. All queues are of one organization. */
export async function loadDeliveryFacts(
  db: Db,
  realm_id: number,
  events: readonly LoggedEvent[],
  queues: readonly Pick<Queue, 'user_id' | 'token'>[],
): Promise<DeliveryFacts> {
  const users = [...new Set(queues.map(({ user_id }) => user_id))];
  const token_ids = toBigints(queues.flatMap(({ token }) => token?.id ?? []));
  const stream_ids = toBigints(events.flatMap(({ audience }) => getAudienceStream(audience) ?? []));
  const message_ids = toBigints(events.flatMap(({ payload: p }) => (p.type === 'message' ? [p.message.id] : [])));
  const [found] = await rows<FactsRow>(
    db,
    sql`select ${jsonRows(sql`select u.id, u.role, u.key_version from unnest(${bigints(users)}) as w(id)
            join users u on u.realm_id = ${realm_id} and u.id = w.id and u.is_active`)} as accounts,
          ${jsonRows(sql`select id from tokens where realm_id = ${realm_id} and id = any(${token_ids})`)} as tokens,
          ${jsonRows(selectMembers(realm_id, events, users))} as members,
          ${jsonRows(sql`select s.id from streams s where s.realm_id = ${realm_id} and s.id = any(${stream_ids})
            and ${canReadStreamContent({ is_guest: sql`false` }, sql`s`, sql`false`)}`)} as streams,
          ${jsonRows(sql`select id, conversation_id from messages where realm_id = ${realm_id} and id = any(${message_ids})`)} as locations`,
  );
  const { accounts = [], tokens = [], members = [], streams = [], locations = [] } = found ?? {};
  return {
    roles: new Map(accounts.map(({ id, role }) => [id, role])),
    key_versions: new Map(accounts.map(({ id, key_version }) => [id, key_version])),
    token_ids: new Set(tokens.map(({ id }) => id)),
    members: groupByEvent(members),
    public_streams: new Set(streams.map(({ id }) => id)),
    conversation_ids: new Map(locations.map(({ id, conversation_id }) => [id, conversation_id])),
  };
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
