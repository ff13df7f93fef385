// Clients of one test file that follow queues as streams.
import type { Params } from '@parley/client';
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterEach, expect } from 'vitest';
import type { Chat, TestUser } from './chat.ts';
import { type OpenStream, openStream } from './event-stream.ts';

/** Short enough for tests to wait for heartbeats and for checks of streams. */
export const pollTimes = { quiet: 1000, spread: 100, tick: 50, fallback: 50, coalesce: 1, renew: 200 };

export interface RegisteredQueue {
  readonly queue_id: string;
  readonly last_event_id: number;
}

export const register = (who: TestUser, event_types: Params<'registerQueue'>['event_types'] = ['message']) =>
  who.api.registerQueue({ event_types });

export const contents = ({ events }: Pick<OpenStream, 'events'>) =>
  events.map((event) => (event.type === 'message' ? event.message.content : event.type));

/** Waits until these messages have arrived, and no others. */
export const waitForContents = (stream: OpenStream, ...expected: string[]) =>
  expect.poll(() => contents(stream), { timeout: 10_000 }).toEqual(expected);

/** Opens streams on a chat, and closes them after each test. */
export function createFollower(chatOf: () => Chat) {
  const opened: OpenStream[] = [];
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close();
  });
  return async (
    login: Pick<TestUser, 'email' | 'apiKey'>,
    { queue_id, last_event_id }: RegisteredQueue,
    {
      headers,
      chat = chatOf(),
      port = chat.port,
    }: { headers?: Record<string, string>; chat?: Chat; port?: number } = {},
  ): Promise<OpenStream> => {
    const target = { host: chat.realm.host, port, login, queue_id, last_event_id };
    const stream = await openStream({ ...target, ...(headers && { headers }) });
    opened.push(stream);
    return stream;
  };
}

/** The newest event of the organization's log. */
export async function findNewestEvent({ database, realm }: Chat): Promise<number> {
  const [row] = await rows<{ id: number }>(
    database.db,
    sql`select last_event_id as id from realm_clock where realm_id = ${realm.id}`,
  );
  return row?.id ?? 0;
}
