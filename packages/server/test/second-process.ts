// Another process on a chat's PostgreSQL, as far as the server can tell: connections, memory and a port of its own.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Calls, createClient } from '@parley/client';
import { connectPostgres, type PostgresOptions } from '@parley/db';
import { type AppOptions, createApp } from '../src/app.ts';
import type { Realm } from '../src/core/context.ts';
import { createListener } from '../src/http/listener.ts';
import { createServer } from '../src/http/server.ts';
import type { Chat, TestUser } from './chat.ts';
import { hostFetch } from './host-fetch.ts';
import { recordSeenResponses } from './seen-responses.ts';
import { roomy } from './test-server.ts';
import { unlimited } from './unlimited.ts';

interface Options extends Partial<Pick<AppOptions, 'pollTimes' | 'secrets'>>, Pick<PostgresOptions, 'onStatement'> {
  /** Another address of the chat's database. */
  readonly url?: string;
}

export async function startSecondProcess(chat: Chat, { onStatement, url, ...options }: Options = {}) {
  const database = connectPostgres(url ?? chat.database.url ?? '', {
    connections: 4,
    ...(onStatement && { onStatement }),
  });
  const own = { database, clock: chat.clock, limits: unlimited, admissionLimits: roomy };
  const app = await createApp({ ...chat.app, ...own, ...options });
  const listener = createListener(createServer(app, [recordSeenResponses])).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    app,
    port,
    /** The calls of a user through this process. */
    apiOf: ({ email, apiKey }: TestUser, { host }: Pick<Realm, 'host'> = chat.realm): Calls =>
      createClient(`http://${host}:${port}`, {
        login: { email, apiKey },
        fetch: hostFetch(port),
        retries: 0,
      }),
    async close(): Promise<void> {
      app.polls.close();
      listener.closeAllConnections();
      listener.close();
      await once(listener, 'close');
      await database.close();
    },
  };
}
