import { sql } from 'drizzle-orm';
import { bigint, boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { realms } from './realms.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

/** The newest event id of each organization. A table of its own: editing an organization must not wait for its events. */
export const realm_clock = pgTable('realm_clock', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  last_event_id: id().notNull().default(0),
});

/** The log of what happened: ids are dense and follow the order of commits. */
export const events = pgTable(
  'events',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: id().notNull(),
    type: text().notNull(),
    payload: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Whom it is for, as a description; it is resolved when the event is delivered. */
    audience: jsonb().$type<Record<string, unknown>>().notNull(),
    /** The messages that it lists: apart from the rest, so that long lists can be written before anybody has to wait. */
    message_ids: bigint({ mode: 'number' }).array(),
    /** The `seq` that each of them has or had in a conversation, if that decides who hears of it. */
    seqs: integer().array(),
    created_at: instant().notNull(),
    /** What it takes up as JSON, with its lists and what its audience adds to it: known without reading any of these. */
    bytes: integer().notNull().default(0),
    /** Set when the event is about all messages of this topic: which those are is looked up when it is delivered. */
    topic_id: id(),
    /** Set when it tells that messages are gone from this conversation: what their numbers there stood for is to be found here. */
    left_id: id(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    index('events_topic').on(t.realm_id, t.topic_id).where(sql`topic_id is not null`),
    index('events_left').on(t.realm_id, t.left_id, t.id).where(sql`left_id is not null`),
  ],
);

/** A queue is a cursor and a filter, not a mailbox: any process can serve it. */
export const event_queues = pgTable(
  'event_queues',
  {
    realm_id: id().notNull(),
    id: text().notNull(),
    user_id: id().notNull(),
    /** The token that registered it: only requests with this token can use it. Null: only requests with the API key of the account. */
    token_id: id(),
    /** Null: every type. */
    event_types: text().array(),
    narrow: jsonb().$type<unknown[]>().notNull(),
    all_public_streams: boolean().notNull(),
    apply_markdown: boolean().notNull(),
    client_gravatar: boolean().notNull(),
    slim_presence: boolean().notNull(),
    /**
     * Events up to here are from before the registration. As long as it equals `acknowledged`, the client has acknowledged nothing.
     * Null for queues that an older server registered.
     */
    starts_after: id(),
    /** Events up to here are acknowledged and gone for this queue. */
    acknowledged: id().notNull(),
    /** Events between `acknowledged` and here were looked at and not for this queue; less than `acknowledged` if there are none. */
    scanned: id().notNull().default(0),
    lifespan_secs: integer().notNull(),
    /** Moves ahead with every poll; a queue nobody asks for is swept after it. */
    expires_at: instant().notNull(),
    /** When it was last asked for, or registered: typing notices from before that are old news to it. */
    seen_at: instant().notNull(),
    /** The process that answered last, so that a poll which moves to another process ends the one it leaves behind. */
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
