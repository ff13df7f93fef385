import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';

/** A change of a message's text. */
export interface EditRow {
  readonly message_id: number;
  readonly id: number;
  readonly user_id: number;
  /** UNIX time in seconds, with fraction. */
  readonly at: number;
  readonly move_id: number | null;
  /** Size in bytes of the earlier text, and of everything else. */
  readonly size: number;
  /** The earlier text; null where there was no room for it. */
  readonly prev_content: string | null;
  readonly prev_rendered_content: string | null;
}

// The length of a text is a column of its own, so that PostgreSQL need not load the text.
const editColumns = sql`message_id, id, user_id, extract(epoch from edited_at)::float8 as at, move_id,
  octet_length(prev_content) + octet_length(prev_rendered_content) + 100 as size`;

/**
 * The edits of messages that fit into so many bytes together, oldest first. The newest edit of each message is taken
 * first, then the one before it of each. The newest edit of a message that does not fit comes without its text.
 */
export async function listEdits(
  db: Db,
  realm_id: number,
  message_ids: readonly number[],
  room: number,
): Promise<EditRow[]> {
  if (message_ids.length === 0) return [];
  return rows(
    db,
    sql`with edits as (
          select ${editColumns}, prev_content, prev_rendered_content, row_number() over (partition by message_id order by id desc) as age
          from message_edits where realm_id = ${realm_id} and message_id = any(${bigints(message_ids)})
        ),
        summed as (select *, sum(size) over (order by age, id desc) as total from edits),
        marked as (select *, coalesce(lag(total) over (partition by message_id order by age), 0) <= ${room} as is_first from summed)
        select message_id, id, user_id, at, move_id, size, case when total <= ${room} then prev_content end as prev_content,
          case when total <= ${room} then prev_rendered_content end as prev_rendered_content
        from marked where total <= ${room} or is_first order by message_id, id`,
  );
}

/** All edits of a message, oldest first, without the texts. */
export async function listEditSizes(db: Db, realm_id: number, message_id: number): Promise<EditRow[]> {
  return rows(
    db,
    sql`select ${editColumns}, null as prev_content, null as prev_rendered_content
        from message_edits where realm_id = ${realm_id} and message_id = ${message_id} order by id`,
  );
}

/** The texts that edits of a message replaced, by edit. */
export async function listEditTexts(
  db: Db,
  realm_id: number,
  ids: readonly number[],
): Promise<Map<number, Pick<EditRow, 'prev_content' | 'prev_rendered_content'>>> {
  const found = await rows<Pick<EditRow, 'id' | 'prev_content' | 'prev_rendered_content'>>(
    db,
    sql`select id, prev_content, prev_rendered_content from message_edits where realm_id = ${realm_id} and id = any(${bigints(ids)})`,
  );
  return new Map(found.map(({ id, ...texts }) => [id, texts]));
}

/** The number of earlier texts of a message that are stored. */
export async function countEdits(db: Db, realm_id: number, message_id: number): Promise<number> {
  const [row] = await rows<{ count: number }>(
    db,
    sql`select count(*)::int as count from message_edits where realm_id = ${realm_id} and message_id = ${message_id}`,
  );
  return row?.count ?? 0;
}

export interface MoveRow {
  readonly id: number;
  readonly user_id: number;
  readonly at: number;
  readonly from_stream_id: number;
  readonly to_stream_id: number;
  readonly from_topic_id: number;
  readonly to_topic_id: number;
  readonly from_topic: string;
  readonly to_topic: string;
  /** The newest message of a topic that was renamed as a whole. */
  readonly up_to: number | null;
}

/** A row of `topic_moves`. */
export const moveColumns = sql`id, user_id, extract(epoch from moved_at)::float8 as at, from_stream_id, to_stream_id, from_topic_id, to_topic_id,
  from_topic, to_topic, up_to`;

/** The renames of whole topics that may apply to messages from `oldest` on, oldest first. */
export async function listRenamings(
  db: Db,
  realm_id: number,
  topic_ids: readonly number[],
  oldest: number,
): Promise<MoveRow[]> {
  if (topic_ids.length === 0) return [];
  return rows(
    db,
    sql`select ${moveColumns} from topic_moves
        where realm_id = ${realm_id} and from_topic_id = any(${bigints(topic_ids)}) and up_to >= ${oldest} order by id`,
  );
}

/** All moves of a message apart from its whole topic, oldest first. */
export async function listMovesOf(db: Db, realm_id: number, message_id: number): Promise<MoveRow[]> {
  return rows(
    db,
    sql`select ${moveColumns} from topic_moves where realm_id = ${realm_id}
          and id = any((select moves from messages where realm_id = ${realm_id} and id = ${message_id})::bigint[]) order by id`,
  );
}
