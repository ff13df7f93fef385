import { type Db, rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';
import { bounds } from '../../../core/limits.ts';
import { type MoveRow, moveColumns } from '../../message-edits/index.ts';
import type { MessageUser, PresentableReaction, SeenMessage } from '../../messages/index.ts';

interface ReactionRow extends Omit<PresentableReaction, 'by'>, MessageUser {
  readonly message_id: number;
}

interface FactsRow {
  readonly reactions: ReactionRow[];
  readonly moves: MoveRow[];
  readonly renamings: MoveRow[];
}

/** The facts of a page of messages that are stored outside of the messages. */
export interface PageFacts {
  /** By message, oldest first. */
  readonly reactions: ReadonlyMap<number, PresentableReaction[]>;
  /** The moves of single messages, oldest first. */
  readonly moves: readonly MoveRow[];
  /**
   * The renames of whole topics that may apply, oldest first: if there are more than a page shows, the newest of them
   * and one more.
   */
  readonly renamings: readonly MoveRow[];
}

const NO_FACTS: PageFacts = { reactions: new Map(), moves: [], renamings: [] };

/** One statement, however many messages the page has. `messages` ascend. */
export async function loadPageFacts(db: Db, realm_id: number, messages: readonly SeenMessage[]): Promise<PageFacts> {
  const message_ids = bigints(messages.map(({ id }) => id));
  const inTopics = messages.flatMap(({ id, topic_id, moves }) => (topic_id === null ? [] : [{ id, topic_id, moves }]));
  const topic_ids = bigints([...new Set(inTopics.map(({ topic_id }) => topic_id))]);
  const move_ids = bigints([...new Set(inTopics.flatMap(({ moves }) => moves))]);
  if (messages.length === 0) return NO_FACTS;
  const [found] = await rows<FactsRow>(
    db,
    sql`with moved as materialized (select ${moveColumns} from topic_moves where realm_id = ${realm_id} and id = any(${move_ids})),
          topic as (select unnest(${topic_ids}) as id union select from_topic_id from moved union select to_topic_id from moved)
        select ${jsonRows(sql`select r.message_id, r.emoji_name, r.emoji_code, r.reaction_type, u.id, u.full_name, u.delivery_email, u.email_address_visibility
            from reactions r join users u on u.realm_id = r.realm_id and u.id = r.user_id
            where r.realm_id = ${realm_id} and r.message_id = any(${message_ids}) order by r.id`)} as reactions,
          ${jsonRows(sql`select * from moved order by id`)} as moves,
          ${jsonRows(sql`select ${moveColumns} from topic_moves
            where realm_id = ${realm_id} and from_topic_id = any(array(select id from topic)) and up_to >= ${inTopics[0]?.id ?? 0}
            order by id desc limit ${bounds.page_moves + 1}::int`)} as renamings`,
  );
  if (!found) return NO_FACTS;
  return { ...found, reactions: groupReactions(found.reactions), renamings: found.renamings.reverse() };
}

function groupReactions(found: readonly ReactionRow[]): Map<number, PresentableReaction[]> {
  const reactions = new Map<number, PresentableReaction[]>();
  for (const { message_id, emoji_name, emoji_code, reaction_type, ...by } of found) {
    const reaction = { emoji_name, emoji_code, reaction_type, by };
    const others = reactions.get(message_id);
    if (others) others.push(reaction);
    else reactions.set(message_id, [reaction]);
  }
  return reactions;
}
