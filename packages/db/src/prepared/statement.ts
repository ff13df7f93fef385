import { DrizzleQueryError } from 'drizzle-orm';
import type { QueryConfig, QueryResult } from 'pg';
import { TEXT_DATES } from '../postgres/types.ts';

/** The parts of Drizzle's session that a statement needs: those of a pool, or of a transaction. */
export interface StatementSession {
  readonly client: { query(query: QueryConfig, values: unknown[]): Promise<QueryResult> };
  readonly logger: { logQuery(text: string, params: unknown[]): void };
}

/** The session of a connection or a transaction, which Drizzle's types omit. */
export const sessionOf = (db: object): StatementSession => (db as { readonly session: StatementSession }).session;

/** Sends a statement past Drizzle. The values of rows, and errors, are those of a statement that Drizzle sends. */
export async function send(
  { client, logger }: StatementSession,
  query: { readonly text: string; readonly rowMode?: 'array' },
  params: unknown[],
): Promise<QueryResult> {
  logger.logQuery(query.text, params);
  try {
    return await client.query({ ...query, types: TEXT_DATES }, params);
  } catch (error) {
    throw new DrizzleQueryError(query.text, params, error as Error);
  }
}

/** A statement that Drizzle did not build. Drizzle's own objects around one cost as much as parsing its rows. */
export class Statement {
  readonly text: string;
  readonly params: unknown[];

  constructor(text: string, params: unknown[]) {
    this.text = text;
    this.params = params;
  }

  async run<Row>(session: StatementSession): Promise<Row[]> {
    const { fields, rows } = await send(session, { text: this.text, rowMode: 'array' }, this.params);
    const names = fields.map(({ name }) => name);
    return (rows as unknown[][]).map((values) => toObject(names, values) as Row);
  }
}

/** The driver would copy an object of nulls for each row, and set its values then: that takes ten times as long. */
function toObject(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let n = 0;
  for (const name of names) row[name] = values[n++];
  return row;
}
