import { rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { Ctx } from '../../../core/context.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';
import { bounds } from '../../../core/limits.ts';
import type { NamedUser, UserNaming } from '../../../core/named-users.ts';
import { type MoveRow, moveColumns } from '../../message-edits/index.ts';
import type { Participant } from '../../messages/index.ts';
import { jsonNamedUser } from '../../users/index.ts';

/** A reference to a user, with the user unless the users were remembered. */
export interface UserReference {
  readonly user_id: number;
  readonly user?: NamedUser;
}

/** What is stored about some messages of a page, for all of them together. */
export interface PageFacts {
  readonly participants: readonly (Participant & UserReference)[];
  /** The moves of single messages, oldest first. */
  readonly moves: readonly MoveRow[];
  /**
   * The renames of whole topics that may apply, oldest first: if there are more than a page shows, the newest of them
   * and one more.
   */
  readonly renamings: readonly MoveRow[];
}

/** What decides which facts there are about a message. */
export interface MessageWithFacts {
  readonly id: number;
  readonly conversation_id: number;
  /** Null in direct conversations. */
  readonly stream_name: string | null;
  readonly topic_id: number | null;
  /** Null without moves. */
  readonly moves: readonly number[] | null;
  /** See `topics.renamed_up_to`. */
  readonly renamed_up_to: number | null;
}

const NONE: PageFacts = { participants: [], moves: [], renamings: [] };

/** No statement for messages of streams, unless they were moved or their topics renamed; one for others. */
export async function loadPageFacts(
  { db, me, server }: Ctx<UserNaming>,
  messages: readonly MessageWithFacts[],
): Promise<PageFacts> {
  const direct = messages.flatMap(({ stream_name, conversation_id }) => (stream_name === null ? conversation_id : []));
  const moves = messages.flatMap((message) => message.moves ?? []);
  const renamed = messages.flatMap(({ id, topic_id, renamed_up_to }) =>
    topic_id !== null && renamed_up_to !== null && id <= renamed_up_to ? topic_id : [],
  );
  if (direct.length + moves.length + renamed.length === 0) return NONE;
  const inTopics = messages.filter(({ topic_id }) => topic_id !== null);
  const oldest = Math.min(Number.MAX_SAFE_INTEGER, ...inTopics.map(({ id }) => id));
  const user = server.namedUsers.areRemembered ? sql`` : sql`, ${jsonNamedUser(me.realm_id, sql`x.user_id`)} as "user"`;
  const [facts] = await rows<PageFacts>(
    db,
    selectFacts(me.realm_id, { direct: unique(direct), moves: unique(moves), renamed: unique(renamed), oldest, user }),
  );
  return facts ?? NONE;
}

const unique = (ids: readonly number[]): number[] => [...new Set(ids)];

interface Lookup {
  readonly direct: readonly number[];
  readonly moves: readonly number[];
  readonly renamed: readonly number[];
  /** The oldest message of a topic. */
  readonly oldest: number;
  /** A column of each participant, after a comma. */
  readonly user: SQL;
}

/** A message that was moved can have been in topics that are renamed, before and after. */
const selectFacts = (
  realm_id: number,
  { direct, moves, renamed, oldest, user }: Lookup,
): SQL => sql`with ${withGenericPlan} moved as materialized (
      select ${moveColumns} from topic_moves where realm_id = ${realm_id} and id = any(${bigints(moves)})),
    topic as (select unnest(${bigints(renamed)}) as id union select from_topic_id from moved union select to_topic_id from moved)
  select ${jsonRows(sql`select x.conversation_id, x.user_id${user} from unnest(${bigints(direct)}) direct (id)
      cross join lateral (
        select x.conversation_id, x.user_id from memberships x where x.realm_id = ${realm_id} and x.conversation_id = direct.id offset 0
      ) x`)} as participants,
    ${jsonRows(sql`select * from moved order by id`)} as moves,
    ${jsonRows(sql`select * from (
        select renaming.* from topic cross join lateral (
          select ${moveColumns} from topic_moves
          where realm_id = ${realm_id} and from_topic_id = topic.id and up_to >= ${oldest}
          order by id desc limit ${bounds.page_moves + 1}::int
        ) renaming
        order by id desc limit ${bounds.page_moves + 1}::int
      ) newest order by id`)} as renamings`;
