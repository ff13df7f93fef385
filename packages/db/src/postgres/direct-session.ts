import pg from 'pg';
import { parseAddress } from './address.ts';
import { isStandby } from './errors.ts';
import { VANISHED_CLIENT_SETTINGS } from './settings.ts';

/** A separate connection, whose statements run outside of transactions and without a timeout. */
export interface DirectSession {
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Connects to the server that accepts writes. A pooler would give each statement another session. */
export async function openDirectSession(url: string, connectTimeout: number): Promise<DirectSession> {
  let failure: unknown;
  for (const connectionString of parseAddress(url).servers) {
    const options = { application_name: 'parley', connectionString, connectionTimeoutMillis: connectTimeout };
    const client = new pg.Client({ ...options, keepAlive: true });
    client.on('error', () => {});
    try {
      await client.connect();
      await begin(client);
      return {
        query: async (text, values) => (await client.query(text, values)).rows,
        close: () => client.end(),
      };
    } catch (error) {
      failure = error;
      await client.end().catch(() => {});
    }
  }
  throw failure;
}

async function begin(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select pg_backend_pid() as pid, pg_is_in_recovery() as standby');
  if (rows[0].standby) throw isStandby();
  if (rows[0].pid !== (client as unknown as { processID: number }).processID) throw new BehindPooler();
  await client.query(`set statement_timeout = 0; set lock_timeout = 0; ${VANISHED_CLIENT_SETTINGS}`);
}

export class BehindPooler extends Error {
  override name = 'BehindPooler';
  constructor() {
    super(
      'Indexes are made over a connection without a pooler: set DATABASE_LISTEN_URL to the address of PostgreSQL itself.',
    );
  }
}
