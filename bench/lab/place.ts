import type { Person } from './http.ts';
import type { Connection } from './postgres.ts';

/** A database with one organization, and a connection to it. */
export interface Place {
  readonly url: string;
  readonly sql: Connection;
  readonly realm_id: number;
  readonly key_salt: string;
  readonly owner: Person;
}
