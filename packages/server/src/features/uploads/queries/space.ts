import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';

/** The size of the organization's files in bytes. */
export async function findSpaceUsed(db: Db, realm_id: number): Promise<number> {
  const [found] = await rows<{ bytes: number }>(db, sql`select bytes from upload_space where realm_id = ${realm_id}`);
  return found?.bytes ?? 0;
}

/**
 * Adds to the used bytes, or subtracts from them. Returns the bytes in use afterwards, or undefined if they would
 * exceed `most`.
 */
export async function reserveSpace(db: Db, realm_id: number, bytes: number, most: number): Promise<number | undefined> {
  const [taken] = await rows<{ bytes: number }>(
    db,
    sql`insert into upload_space (realm_id, bytes) values (${realm_id}, ${bytes}::bigint)
        on conflict (realm_id) do update set bytes = upload_space.bytes + excluded.bytes
        where upload_space.bytes + excluded.bytes <= ${most}::bigint
        returning bytes`,
  );
  return taken?.bytes;
}
