// CPU time of the processes of one database, where they run on this machine.
import { readFile } from 'node:fs/promises';
import type { BenchOrganization } from './organization.ts';

/**
 * Nanoseconds of CPU time so far of each PostgreSQL process for this database, except that of this connection; null on
 * another machine.
 */
async function readProcesses({ sql }: BenchOrganization): Promise<Map<number, number> | null> {
  const found = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  const times = new Map<number, number>();
  for (const { pid } of found) {
    const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => undefined);
    if (text === undefined) return null;
    times.set(pid, Number(text.split(' ')[0]));
  }
  return times;
}

/** Milliseconds of CPU time that the database spends during the work; NaN where it cannot be measured. */
export async function databaseCpuOf(organization: BenchOrganization, work: () => Promise<unknown>): Promise<number> {
  const before = await readProcesses(organization);
  await work();
  const after = await readProcesses(organization);
  if (!before || !after) return Number.NaN;
  let spent = 0;
  for (const [pid, time] of after) spent += time - (before.get(pid) ?? 0);
  return spent / 1e6;
}
