import type { Db } from '@parley/db';
import { findPiece, type Kept } from './queries/files.ts';

/** What is in a file from one byte to another, both included, a piece at a time. */
export async function* piecesOf(db: Db, file: Kept, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at <= to; ) {
    const piece = await findPiece(db, file, at);
    const part = piece?.bytes.subarray(at - piece.starts_at, to + 1 - piece.starts_at);
    // Swept meanwhile: an answer that breaks off is better than one that ends as if it were whole.
    if (!part || part.length === 0) throw new Error(`The file ${file.id} ends at byte ${at}.`);
    yield part;
    at += part.length;
  }
}
