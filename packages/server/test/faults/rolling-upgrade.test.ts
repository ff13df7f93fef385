// A rolling upgrade to a later release, and back, while users write and follow.
import { afterAll, describe, expect, test, vi } from 'vitest';
import { compatible, newestName } from '../../../db/test/later-migrations.ts';
import { onPostgres } from '../database.ts';
import { createLaterRelease } from '../later-release.ts';
import { apiOf, createPostgresEnvironment, createRealm, endServers, type Process, parley } from '../parley.ts';
import { ascending, storedIds } from './ledger.ts';
import { ServerInstance } from './server-instance.ts';
import { type Following, QueueFollower, TrafficLedger, Writer } from './traffic.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

const WRITERS = 4;
const FOLLOWERS: readonly Following[] = ['poll', 'stream'];
const DEADLINE = { timeout: 60_000 };

const MIGRATIONS = [
  compatible('alter table drafts add column mood text'),
  compatible(
    'drop index concurrently if exists messages_later',
    'create index concurrently messages_later on messages (realm_id, id)',
  ),
];

async function readinessOf({ url }: Process): Promise<unknown> {
  const response = await fetch(`${url}/readyz`);
  return { code: response.status, ...((await response.json()) as object) };
}

describe.runIf(onPostgres)('two servers', () => {
  test('are upgraded to a later release and set back, one after the other: no write is lost, and each event comes once and in order', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const olga = await createRealm(variables);
    const later = createLaterRelease(...MIGRATIONS);
    const servers = [new ServerInstance(variables, 'serve'), new ServerInstance(variables, 'serve')];
    await Promise.all(servers.map((server) => server.start()));
    const api = () => apiOf(servers[0]?.process as Process, olga);
    await api().subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const ledger = new TrafficLedger();
    const followers = await Promise.all(
      FOLLOWERS.map(async (following, n) => {
        const queue = await api().registerQueue({ event_types: ['message'] });
        return new QueueFollower(servers, n, olga, queue, following, ledger);
      }),
    );
    const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(servers, n, olga, ledger));
    for (const user of [...followers, ...writers]) user.start();
    /** Each writer has two more acknowledged messages. */
    const served = () => {
      const before = writers.map(({ count }) => count);
      return vi.waitUntil(() => writers.every(({ count }, n) => count >= (before[n] ?? 0) + 2), DEADLINE);
    };
    const install = async (release: string | undefined) => {
      for (const server of servers) {
        server.release = release;
        await server.restart('SIGTERM');
        await served();
      }
    };
    await served();
    const { code, stderr } = await parley(['migrate'], variables, '', later.program);
    expect([code, stderr]).toEqual([0, '']);
    await served();
    const database = later.migrations.at(-1);
    const expectReady = async (server: string | undefined) => {
      for (const one of servers) {
        expect(await readinessOf(one.process as Process)).toMatchObject({ code: 200, schema: { server, database } });
      }
    };
    await expectReady(newestName());
    await install(later.program);
    await expectReady(database);
    await install(undefined);
    await expectReady(newestName());

    for (const writer of writers) await writer.stop();
    const acknowledged = ascending(ledger.acknowledged.map(({ id }) => id));
    await vi.waitUntil(() => followers.every(({ heard }) => heard.length >= acknowledged.length), DEADLINE);
    expect(await storedIds(api())).toEqual(acknowledged);
    for (const { heard } of followers) expect(heard.map(({ message_id }) => message_id)).toEqual(acknowledged);
    expect(ledger.unexplained).toEqual([]);
    console.log(`${acknowledged.length} messages acknowledged, stored and heard in an upgrade and back`);
    for (const follower of followers) await follower.stop();
    for (const server of servers) expect([await server.close(), server.unexpected]).toEqual([0, []]);
    later.remove();
    await remove();
  });
});
