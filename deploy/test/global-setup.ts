// Finds PostgreSQL before the tests, and lists after them what this machine could not run.
import { connectPostgres } from '@parley/db';
import { environment, parts, whyNotRun } from './requirements.ts';

const LOCAL = 'postgres://postgres@127.0.0.1:5432/postgres';

export default async function setup(): Promise<() => void> {
  if (!environment.DATABASE_URL && (await accepts(LOCAL))) environment.DATABASE_URL = LOCAL;
  return () => {
    for (const part of parts) {
      const reason = whyNotRun(part);
      if (reason) process.stdout.write(`NOT RUN: ${part}: ${reason}\n`);
    }
  };
}

async function accepts(url: string): Promise<boolean> {
  const database = connectPostgres(url, { connections: 1 });
  try {
    await database.db.execute('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await database.close();
  }
}
