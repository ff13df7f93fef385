import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';

type Me = Pick<User, 'realm_id' | 'id'>;
/** Properties of messages that are flags of the user. */
export const FLAGS = ['starred', 'alerted', 'mentioned'] as const;
export type FlagProperty = (typeof FLAGS)[number];

const flags = { starred: sql`starred`, alerted: sql`has_alert_word`, mentioned: sql`mentioned` };

/** The id of a message of `flaggedMessages`, in the order of the index of the flags. */
export const flaggedId: SQL = sql`f.message_id`;

/**
 * The messages with a flag of the user as `m`, found by the flags. `limit` makes the planner look up one message for each; otherwise it
 * scans all messages, expecting a flagged one soon.
 */
export const flaggedMessages = (me: Me): SQL => sql`message_flags f
  cross join lateral (
    select x.* from messages x where x.realm_id = ${me.realm_id} and x.id = f.message_id limit 1
  ) m`;

/** The condition on the flags that go with `flaggedMessages`. */
export const isFlagged = (me: Me, property: FlagProperty): SQL =>
  sql`f.realm_id = ${me.realm_id} and f.user_id = ${me.id} and f.${flags[property]}`;

/** Messages that mention all their recipients, by an index of their own. A row of flags about the same mention takes precedence. */
export const isWildcardOnly: SQL = sql`(m.stream_wildcard or m.topic_wildcard_user_ids is not null) and not coalesce(mf.mentioned, false)`;
