// A job that has its turn holds a connection while its work uses another one.
import { connectPostgres } from '@parley/db';
import { afterEach, expect, test } from 'vitest';
import { type Chat, startChat } from '../../test/chat.ts';
import { onPostgres } from '../../test/database.ts';
import { startWorkers, TURNS } from './loop.ts';

let chat: Chat;
afterEach(() => chat.close());

test.runIf(onPostgres)('concurrent jobs leave connections for their work', async () => {
  chat = await startChat({ ownDatabase: true });
  const database = connectPostgres(chat.database.url ?? '', { connections: TURNS + 1 });
  const names = Array.from({ length: 3 * TURNS }, (_, n) => `job ${n}`);
  const done = new Set<string>();
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const run = async (name: string) => {
    await Promise.all([database.db.execute('select 1'), database.db.execute('select 2')]);
    if (done.add(name).size === names.length) finish();
  };
  const jobs = names.map((name) => ({ name, every: 1, run: () => run(name) }));
  const workers = startWorkers({ ...chat.app, database }, jobs);
  await finished;
  await workers.stop();
  await database.close();
  expect([...done].sort()).toEqual(names.sort());
});
