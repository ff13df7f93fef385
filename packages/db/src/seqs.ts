import { sql } from 'drizzle-orm';

/** Message numbers in a chunk of `read_marks`. */
export const CHUNK = 16_384;
/** The same, to be written into SQL: a parameter would hide from the planner what is divided. */
export const chunkSize = sql.raw(String(CHUNK));

export const chunkOf = (seq: number): number => Math.floor(seq / CHUNK);
