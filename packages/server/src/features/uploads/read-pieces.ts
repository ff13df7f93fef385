import type { Db } from '@parley/db';
import { findPart, type StoredUpload } from './queries/files.ts';

/** Bytes that are read at once. For a slow client several times as many are in memory, on their way to the socket. */
const PART = 64 * 1024;

/** The content of a file from one byte to another, both included, in pieces. */
export async function* readPieces(db: Db, file: StoredUpload, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at <= to; ) {
    const part = await findPart(db, file, at, Math.min(PART, to + 1 - at));
    // The file was swept meanwhile: a response that breaks off is better than a truncated one that looks complete.
    if (!part || part.length === 0) throw new Error(`The file ${file.id} ends at byte ${at}.`);
    yield part;
    at += part.length;
  }
}
