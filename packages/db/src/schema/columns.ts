import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

/** Ids are integers below 2^53, so JavaScript numbers hold them exactly. */
export const id = () => bigint({ mode: 'number' });

/** An id from a sequence. One sequence per table for all organizations: ids never repeat on a server. */
export const newId = () => bigint({ mode: 'number' }).generatedAlwaysAsIdentity();

export const instant = () => timestamp({ withTimezone: true, mode: 'date' });

/** Sets of message numbers, as PostgreSQL writes them: `{[1,5),[9,)}`. A run of numbers is one range. */
export const seqs = customType<{ data: string }>({ dataType: () => 'int4multirange' });

/** Full-text index of a message; only PostgreSQL reads it. */
export const searchIndex = customType<{ data: string }>({ dataType: () => 'tsvector' });
