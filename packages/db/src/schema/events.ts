import { sql } from 'drizzle-orm';
import { bigint, boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { realms } from './realms.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

/**
 * The newest event id of each organization. It is a separate table so that changes of an organization do not wait for
 * its events.
 */
export const realm_clock = pgTable('realm_clock', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  last_event_id: id().notNull().default(0),
});

/** The event log: ids have no gaps and follow the order of commits. */
export const events = pgTable(
  'events',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: id().notNull(),
    type: text().notNull(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    /** The audience as a description; it is resolved at delivery. */
    audience: jsonb().$type<Record<string, unknown>>().notNull(),
    /**
     * The messages that the event lists: a separate column, so that long lists can be prewritten before locks are
     * taken.
     */
    message_ids: bigint({ mode: 'number' }).array(),
    /** The `seq` that each of them has or had in a conversation, if that decides the recipients. */
    seqs: integer().array(),
    created_at: instant().notNull(),
    /** The size of its JSON, with its lists and what its audience adds: known without reading any of these. */
    bytes: integer().notNull().default(0),
    /** Set when the event is about all messages of this topic. They are looked up at delivery. */
    topic_id: id(),
    /** Set when the event reports that messages left this conversation: it resolves their former numbers there. */
    left_id: id(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    index('events_topic').on(t.realm_id, t.topic_id).where(sql`topic_id is not null`),
    index('events_left').on(t.realm_id, t.left_id, t.id).where(sql`left_id is not null`),
  ],
);

/** A queue is a cursor and a filter, without copies of events: any process can serve it. */
export const event_queues = pgTable(
  'event_queues',
  {
    realm_id: id().notNull(),
    id: text().notNull(),
    user_id: id().notNull(),
    /** The token that registered it: only requests with this token can use it. Null: only requests with the API key of the account. */
    token_id: id(),
    /** Null: all types. */
    event_types: text().array(),
    narrow: jsonb().$type<unknown[]>().notNull(),
    all_public_streams: boolean().notNull(),
    apply_markdown: boolean().notNull(),
    client_gravatar: boolean().notNull(),
    slim_presence: boolean().notNull(),
    /**
     * Events up to here are from before the registration. While it equals `acknowledged`, the client has acknowledged
     * nothing. Null for queues that an older server registered.
     */
    starts_after: id(),
    /** Events up to here are acknowledged, and no longer in this queue. */
    acknowledged: id().notNull(),
    /**
     * Events between `acknowledged` and here were read and are not for the queue; less than `acknowledged` if there are
     * none.
     */
    scanned: id().notNull().default(0),
    lifespan_secs: integer().notNull(),
    /** Moves ahead with every poll; a queue without polls is swept after it. */
    expires_at: instant().notNull(),
    /** The time of the last poll, or of the registration: typing notifications from before are stale for the queue. */
    seen_at: instant().notNull(),
    /** The process that served the last poll, so that a poll in another process ends the one that waits here. */
    poller: text(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    index('event_queues_user').on(t.realm_id, t.user_id),
    index('event_queues_token').on(t.realm_id, t.token_id).where(sql`token_id is not null`),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.token_id], foreignColumns: [tokens.realm_id, tokens.id] }),
  ],
);
