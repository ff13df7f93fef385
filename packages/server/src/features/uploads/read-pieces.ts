import type { Db } from '@parley/db';
import { findPart, type StoredUpload } from './queries/files.ts';

/** Bytes that are read at once. A slow client keeps several times as many in memory, on their way to the socket. */
const PART = 64 * 1024;

/** What is in a file from one byte to another, both included, a part at a time. */
export async function* readPieces(db: Db, file: StoredUpload, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at <= to; ) {
    const part = await findPart(db, file, at, Math.min(PART, to + 1 - at));
    // Swept meanwhile: an answer that breaks off is better than one that ends as if it were whole.
    if (!part || part.length === 0) throw new Error(`The file ${file.id} ends at byte ${at}.`);
    yield part;
    at += part.length;
  }
}
