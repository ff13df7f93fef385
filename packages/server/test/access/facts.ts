// The users, streams and messages of an organization as the tables have them, read without the server's conditions.
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { canReadMessage, isInHistory, type StreamHistory } from '../../src/access/rules.ts';

export interface UserFacts {
  readonly id: number;
  readonly role: number;
  readonly is_active: boolean;
  /** Null: a human. */
  readonly bot_owner_id: number | null;
}

export interface StreamRow extends StreamHistory {
  readonly id: number;
  readonly name: string;
}

export interface MessageRow {
  readonly id: number;
  readonly conversation_id: number;
  readonly seq: number;
  readonly topic: string | null;
  readonly sender_id: number;
  readonly content: string;
}

export interface MembershipFacts {
  readonly active: boolean;
  /** Whether the user received the message with this number. */
  readonly received: (seq: number) => boolean;
}

export interface OrganizationFacts {
  readonly users: readonly UserFacts[];
  readonly streams: ReadonlyMap<number, StreamRow>;
  readonly messages: readonly MessageRow[];
  membership(user_id: number, conversation_id: number): MembershipFacts;
  hasFlags(user_id: number, message_id: number): boolean;
  /** The messages that link a file, by its URL. */
  readonly uploads: ReadonlyMap<string, { readonly user_id: number; readonly message_ids: readonly number[] }>;
}

const outside: MembershipFacts = { active: false, received: () => false };

export async function loadFacts(db: Db, realm_id: number): Promise<OrganizationFacts> {
  const users = await rows<UserFacts>(
    db,
    sql`select id, role, is_active, bot_owner_id from users where realm_id = ${realm_id} and not is_system_bot order by id`,
  );
  const streams = await rows<Omit<StreamRow, 'archived_at'> & { is_archived: boolean }>(
    db,
    sql`select id, name, invite_only, is_web_public, history_public_to_subscribers, archived_at is not null as is_archived
        from streams where realm_id = ${realm_id} order by id`,
  );
  const messages = await rows<MessageRow>(
    db,
    sql`select m.id, m.conversation_id, m.seq, m.sender_id, m.content,
          (select t.name from topics t where t.realm_id = m.realm_id and t.id = m.topic_id) as topic
        from messages m where m.realm_id = ${realm_id} order by m.id`,
  );
  const memberships = await rows<{ user_id: number; conversation_id: number; active: boolean; received: string }>(
    db,
    sql`select user_id, conversation_id, active, received::text as received from memberships where realm_id = ${realm_id}`,
  );
  const flags = await rows<{ user_id: number; message_id: number }>(
    db,
    sql`select user_id, message_id from message_flags where realm_id = ${realm_id}`,
  );
  const uploads = await rows<{ uri: string; user_id: number; message_ids: number[] }>(
    db,
    sql`select '/user_uploads/' || u.realm_id || '/' || u.key || '/' || u.name as uri, u.user_id,
          (select coalesce(json_agg(l.message_id order by l.message_id), '[]') from message_uploads l
           where l.realm_id = u.realm_id and l.upload_id = u.id) as message_ids
        from uploads u where u.realm_id = ${realm_id} order by u.id`,
  );
  const byKey = new Map(memberships.map((one) => [`${one.user_id} ${one.conversation_id}`, toMembership(one)]));
  const flagged = new Set(flags.map(({ user_id, message_id }) => `${user_id} ${message_id}`));
  return {
    users,
    streams: new Map(
      streams.map(({ is_archived, ...one }) => [one.id, { ...one, archived_at: is_archived ? new Date(0) : null }]),
    ),
    messages,
    membership: (user_id, conversation_id) => byKey.get(`${user_id} ${conversation_id}`) ?? outside,
    hasFlags: (user_id, message_id) => flagged.has(`${user_id} ${message_id}`),
    uploads: new Map(uploads.map(({ uri, ...one }) => [uri, one])),
  };
}

/** A multirange is written as `{[1,5),[7,)}`. */
function toMembership({ active, received }: { active: boolean; received: string }): MembershipFacts {
  const spans = [...received.matchAll(/\[(\d+),(\d*)\)/g)].map(([, from, to]) => [
    Number(from),
    Number(to || 'Infinity'),
  ]);
  return { active, received: (seq) => spans.some(([from = 0, to = 0]) => from <= seq && seq < to) };
}

export function isMessageInHistory(facts: OrganizationFacts, user_id: number, message: MessageRow): boolean {
  const { received } = facts.membership(user_id, message.conversation_id);
  return isInHistory({ received: received(message.seq), has_flags: facts.hasFlags(user_id, message.id) });
}

/** `canReadMessage` with these facts. */
export function isReadable(facts: OrganizationFacts, user: UserFacts, message: MessageRow): boolean {
  return canReadMessage(user, facts.streams.get(message.conversation_id), {
    subscribed: facts.membership(user.id, message.conversation_id).active,
    in_history: isMessageInHistory(facts, user.id, message),
  });
}
