import { Param, Placeholder, SQL, StringChunk } from 'drizzle-orm';

/** A statement and the values of its parameters. */
export interface StatementWithParams {
  sql: string;
  readonly params: unknown[];
}

/**
 * Builds hand-written SQL several times faster than Drizzle, with the same result. Returns undefined for SQL that
 * contains anything but text, parameters and SQL of the same kind: Drizzle builds that.
 */
export function buildQuery(query: SQL): StatementWithParams | undefined {
  const built: StatementWithParams = { sql: '', params: [] };
  return append(built, query) ? built : undefined;
}

/** False for what only Drizzle can build. */
function append(built: StatementWithParams, chunk: unknown): boolean {
  if (chunk === undefined) return true;
  if (chunk === null || PRIMITIVES.has(typeof chunk)) return appendParam(built, chunk);
  // A subclass may have another meaning, so it is left to Drizzle.
  switch ((chunk as object).constructor) {
    case StringChunk:
      built.sql += (chunk as StringChunk).value.join('');
      return true;
    case SQL:
      return appendSql(built, chunk as SQL);
    case Param: {
      const { value, encoder } = chunk as Param;
      if (value instanceof Placeholder) return false;
      const mapped: unknown = value === null ? null : encoder.mapToDriverValue(value);
      return !(mapped instanceof SQL) && appendParam(built, mapped);
    }
    default:
      return false;
  }
}

const PRIMITIVES: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'bigint']);

function appendSql(built: StatementWithParams, query: SQL): boolean {
  const { shouldInlineParams } = query as unknown as { shouldInlineParams: boolean };
  return !shouldInlineParams && query.queryChunks.every((chunk) => append(built, chunk));
}

function appendParam(built: StatementWithParams, value: unknown): true {
  built.sql += `$${built.params.push(value)}`;
  return true;
}
