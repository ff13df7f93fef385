// The environment of measurements: databases and processes of their own, removed when the measurement ends, however it
// ends.
import { userOf } from './fill.ts';
import type { BenchOrganization } from './organization.ts';
import { connect, type Databases, findPostgres, openDatabases, SECRET } from './postgres.ts';
import { type BenchServer, startServer } from './server.ts';
import type { BenchServerOptions } from './server-process.ts';

export interface Harness {
  /** 1 is full size. */
  readonly scale: number;
  /** A size at this scale; at least `least`. */
  size(full: number, least?: number): number;
  /** The observation time in milliseconds at this scale; at least a second. */
  span(seconds: number): number;
  organization(): Promise<BenchOrganization>;
  server(
    organization: BenchOrganization,
    options?: Omit<BenchServerOptions, 'database_url' | 'secret'>,
  ): Promise<BenchServer>;
  /** Registers a cleanup for the end of the measurement; the last one runs first. */
  atEnd(step: () => Promise<unknown> | unknown): void;
  /** The PostgreSQL on which databases are created. */
  readonly postgres: string;
}

export interface OpenHarness extends Harness {
  /** Removes what the measurement left. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openHarness(scale: number, profile_dir: string | undefined): Promise<OpenHarness> {
  const postgres = await findPostgres();
  const databases = await openDatabases(postgres);
  const steps: (() => Promise<unknown> | unknown)[] = [];
  const atEnd: Harness['atEnd'] = (step) => void steps.unshift(step);
  const clear = async () => {
    for (const step of steps.splice(0)) await (async () => step())().catch(logProblem);
  };
  return {
    ...{ scale, postgres, atEnd, clear },
    size: (full, least = 1) => Math.max(least, Math.round(full * scale)),
    span: (seconds) => Math.max(1000, seconds * 1000 * Math.min(1, scale * 10)),
    organization: () => createOrganization(databases, atEnd),
    async server({ url }, options = {}) {
      const server = await startServer({ database_url: url, secret: SECRET, ...options }, profile_dir);
      atEnd(() => server.stop());
      return server;
    },
    async close() {
      await clear();
      await databases.close();
    },
  };
}

/** A failed cleanup must not prevent the others. */
const logProblem = (problem: unknown) => console.error(`Something was left behind: ${problem}`);

async function createOrganization(databases: Databases, atEnd: Harness['atEnd']): Promise<BenchOrganization> {
  const url = await databases.create();
  atEnd(() => databases.drop(url));
  const sql = connect(url);
  atEnd(() => sql.end({ timeout: 5 }));
  const { realm_id, key_salt, owner_id, owner_email } = databases;
  const owner = userOf({ realm_id, key_salt }, owner_id, owner_email);
  return { url, sql, realm_id, key_salt, owner };
}
