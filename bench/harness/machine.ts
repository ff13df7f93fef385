// The machine of the measurement.
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { connect } from './postgres.ts';

export interface Machine {
  readonly cpu: string;
  readonly cpus: number;
  readonly memory: string;
  readonly system: string;
  readonly node: string;
  readonly postgres: string;
  /** The settings of PostgreSQL that determine the cost of a commit, and whether it vacuums by itself. */
  readonly settings: string;
}

const SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum', 'shared_buffers'];

export async function machineFacts(url: string): Promise<Machine> {
  const sql = connect(url);
  const [server] = await sql<{ version: string }[]>`select current_setting('server_version') as version`;
  const settings = await sql<{ text: string }[]>`
    select name || ' ' || current_setting(name) as text from unnest(${SETTINGS}::text[]) with ordinality as s(name, n) order by n`;
  await sql.end({ timeout: 5 });
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cpus: processors.length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    postgres: (server?.version ?? '').replace(/ .*/, ''),
    settings: settings.map(({ text }) => text).join(', '),
  };
}
