import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { connectPostgres } from '@parley/db';
import { expect, test } from 'vitest';
import { freshDatabase, onPostgres } from '../../../test/database.ts';
import { createLog } from '../../core/log.ts';
import { WakeChannel, type WakeMessage } from './wake-channel.ts';

test.runIf(onPostgres)('after a notification, those within the interval go to the other processes as one', async () => {
  const database = await freshDatabase();
  const other = connectPostgres(database.url ?? '', { connections: 1 });
  const log = createLog('silent');
  const never = 3_600_000;
  const sender = new WakeChannel(database, log, { coalesce: 0, pace: never });
  const received: WakeMessage[] = [];
  const arrivals = new EventTarget();
  await new WakeChannel(other, log, { coalesce: 0, pace: 0 }).listen((message) => {
    received.push(message);
    arrivals.dispatchEvent(new Event('message'));
  });
  const arrival = once(arrivals, 'message');
  sender.queue(({ realms }) => void realms.push(1));
  // Nothing was sent before, so it waits for nothing.
  await arrival;
  const next = once(arrivals, 'message');
  sender.queue(({ realms }) => void realms.push(2));
  // Long enough for one that does not wait for the interval.
  await pause(20);
  sender.queue(({ realms }) => void realms.push(3));
  await sender.flush();
  await next;
  expect(received.map(({ realms }) => realms)).toEqual([[1], [2, 3]]);
  await other.close();
  await database.close();
});
