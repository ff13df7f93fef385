// Starts a PostgreSQL for the tests if none is configured, and reports after them what this machine could not run.
import type { TestProject } from 'vitest/node';
import { preparePostgres } from '../../packages/server/test/global-setup/database.ts';
import { environment, parts, whyNotRun } from './requirements.ts';

type StartPostgres = () => Promise<{ url: string; stop(): Promise<void> } | { missing: string }>;
const script = new URL('../../packages/server/scripts/postgres.mjs', import.meta.url).href;

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { startPostgres } = (await import(script)) as { startPostgres: StartPostgres };
  const own = environment.DATABASE_URL ? undefined : await startPostgres();
  if (own && 'url' in own) environment.DATABASE_URL = own.url;
  const drop = environment.DATABASE_URL ? await preparePostgres(environment.DATABASE_URL, provide) : undefined;
  return async () => {
    await drop?.();
    if (own && 'url' in own) await own.stop();
    for (const part of parts) {
      const reason = whyNotRun(part);
      if (reason) process.stdout.write(`NOT RUN: ${part}: ${reason}\n`);
    }
  };
}
