import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../test/chat.ts';
import { createListener } from './listener.ts';
import { serviceLayers } from './service.ts';

let chat: Chat;
let url: string;
let close: () => void;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  chat.clock.stop();
  const server = express();
  for (const layer of serviceLayers({ app: chat.app, health: { draining: false }, docs: false })) server.use(layer);
  const listener = createListener(server).listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  url = `http://127.0.0.1:${(listener.address() as { port: number }).port}/readyz`;
  close = () => void listener.close().closeAllConnections();
});
afterAll(async () => {
  close();
  await chat.close();
});

const ready = async () => {
  const response = await fetch(url);
  return [response.status, ((await response.json()) as { reason?: string }).reason];
};

/** The response once the database responds in time, and a write is due again. */
const readyLater = () =>
  expect.poll(() => {
    chat.clock.advance({ seconds: 10 });
    return ready();
  });

/** Has each write to the table of the readiness check fail with PostgreSQL's error for a full disk. */
const fill = sql`create function full_disk() returns trigger language plpgsql as
  $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`;

test('a server whose database rejects writes is not ready, and ready again when they succeed', async () => {
  const { db } = chat.database;
  await readyLater().toEqual([200, undefined]);
  await db.execute(fill);
  await db.execute(sql`create trigger full_disk before insert or update on rate_limits execute function full_disk()`);
  await expect.poll(ready).toEqual([200, undefined]);
  await readyLater().toEqual([503, 'The database takes no writes: its disk may be full.']);
  await db.execute(sql`drop trigger full_disk on rate_limits`);
  await readyLater().toEqual([200, undefined]);
});

test('/readyz writes at most once in ten seconds, however often a client requests it', async () => {
  const { db } = chat.database;
  await db.execute(sql`create table probe_writes (n int)`);
  await db.execute(
    sql`create function count_write() returns trigger language plpgsql as $$ begin insert into probe_writes values (1); return null; end $$`,
  );
  await db.execute(
    sql`create trigger counted after insert or update on rate_limits for each row execute function count_write()`,
  );
  const writes = async () => (await rows(db, sql`select from probe_writes`)).length;
  chat.clock.advance({ seconds: 10 });
  await Promise.all([ready(), ready(), ready(), ready()]);
  expect(await writes()).toBe(1);
  chat.clock.advance({ seconds: 10 });
  await ready();
  expect(await writes()).toBe(2);
});
