import { type Db, rows } from '@parley/db';
import { sql } from 'drizzle-orm';

const bigints = (ids: readonly number[]) => sql`${sql.param([...ids])}::bigint[]`;

/** A text that a message no longer has. */
export interface EditRow {
  readonly message_id: number;
  readonly id: number;
  readonly user_id: number;
  /** UNIX time, seconds, with fraction. */
  readonly at: number;
  readonly prev_content: string;
  readonly prev_rendered_content: string;
  readonly move_id: number | null;
}

export async function listEdits(db: Db, realm_id: number, message_ids: readonly number[]): Promise<EditRow[]> {
  if (message_ids.length === 0) return [];
  return rows(
    db,
    sql`select message_id, id, user_id, extract(epoch from edited_at)::float8 as at, prev_content, prev_rendered_content, move_id
        from message_edits where realm_id = ${realm_id} and message_id = any(${bigints(message_ids)}) order by message_id, id`,
  );
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

const columns = sql`id, user_id, extract(epoch from moved_at)::float8 as at, from_stream_id, to_stream_id, from_topic_id, to_topic_id,
  from_topic, to_topic, up_to`;

export async function listMoves(db: Db, realm_id: number, ids: readonly number[]): Promise<MoveRow[]> {
  if (ids.length === 0) return [];
  return rows(
    db,
    sql`select ${columns} from topic_moves where realm_id = ${realm_id} and id = any(${bigints(ids)}) order by id`,
  );
}

/** The renamings of whole topics that may apply to messages from `oldest` on. */
export async function listRenamings(
  db: Db,
  realm_id: number,
  topic_ids: readonly number[],
  oldest: number,
): Promise<MoveRow[]> {
  if (topic_ids.length === 0) return [];
  return rows(
    db,
    sql`select ${columns} from topic_moves
        where realm_id = ${realm_id} and from_topic_id = any(${bigints(topic_ids)}) and up_to >= ${oldest} order by id`,
  );
}
