import { sql } from 'drizzle-orm';

/** Message numbers in a chunk of `read_marks`. */
export const CHUNK = 16_384;
/** The same as an SQL literal: the planner could not see the divisor in a parameter. */
export const chunkSize = sql.raw(String(CHUNK));

export const chunkOf = (seq: number): number => Math.floor(seq / CHUNK);
