import { DrizzleQueryError } from 'drizzle-orm';
import type { QueryConfig, QueryResult } from 'pg';
import { TEXT_DATES } from '../postgres/types.ts';

/** The parts of Drizzle's session that a statement needs: those of a pool, or of a transaction. */
export interface StatementSession {
  readonly client: { query(query: QueryConfig, values: unknown[]): Promise<QueryResult> };
  readonly logger: { logQuery(text: string, params: unknown[]): void };
}

/** A statement that Drizzle did not build. Drizzle's own objects around one cost as much as parsing its rows. */
export class Statement {
  readonly text: string;
  readonly params: unknown[];

  constructor(text: string, params: unknown[]) {
    this.text = text;
    this.params = params;
  }

  /** Sends it. The values of rows, and errors, are those of a statement that Drizzle built. */
  async run({ client, logger }: StatementSession): Promise<QueryResult> {
    logger.logQuery(this.text, this.params);
    try {
      return await client.query({ text: this.text, types: TEXT_DATES }, this.params);
    } catch (error) {
      throw new DrizzleQueryError(this.text, this.params, error as Error);
    }
  }
}
