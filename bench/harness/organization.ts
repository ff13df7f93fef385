import type { BenchUser } from './http.ts';
import type { SqlConnection } from './postgres.ts';

/** A database with one organization, and a connection to it. */
export interface BenchOrganization {
  readonly url: string;
  readonly sql: SqlConnection;
  readonly realm_id: number;
  readonly key_salt: string;
  readonly owner: BenchUser;
}
