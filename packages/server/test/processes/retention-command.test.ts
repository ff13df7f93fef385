// `parley retention` beside a server.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  apiOf,
  createEmbeddedEnvironment,
  createRealm,
  endServers,
  parley,
  parleyJson,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

// Every command is a new process.
vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

describe('parley retention beside a server', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await createEmbeddedEnvironment();
  });
  afterEach(endServers);
  afterAll(() => environment.remove());

  test('lists the due messages, and removes exactly these', async () => {
    const variables = { ...environment.variables, PARLEY_LOG: 'debug' };
    const server = await startServer(variables);
    // The server's own job does the same: its turn must be over, and the next is in ten minutes.
    await expect.poll(server.printed).toMatch(/remove-expired-messages.*job done/);
    const api = apiOf(server, await createRealm(variables));
    const sizes = ['--users', '2', '--streams', '1', '--topics', '1', '--messages', '60'];
    const { streams } = await parleyJson<Populated>(['populate', '--realm', '', ...sizes], variables);
    const retention = (...words: string[]) => parleyJson<Removed>(['retention', '--realm', '', ...words], variables);
    const nothing = { dry_run: true, messages: 0, streams: [], direct: null };
    expect(await retention('--dry-run')).toEqual(nothing);

    await api.updateStream({ stream_id: streams[0]?.stream_id ?? 0, message_retention_days: 10 });
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['delete_message'] });
    const due = await retention('--dry-run');
    // Two for each of twenty days, and the one that was sent exactly ten days before.
    expect(due).toMatchObject({
      dry_run: true,
      messages: 41,
      streams: [{ name: streams[0]?.name, days: 10, messages: 41 }],
    });
    expect(await retention('--dry-run')).toEqual(due);
    expect(await retention()).toEqual({ ...due, dry_run: false });
    const { events } = await api.getEvents({ queue_id, last_event_id });
    const deletedIds = events.flatMap((event) => (event.type === 'delete_message' ? event.message_ids : []));
    expect(deletedIds).toHaveLength(41);
    expect((await parley(['retention', '--realm', ''], variables)).stdout).toBe('0 messages were deleted.\n');
    await parley(['realm', 'deactivate', ''], variables);
    expect(await parley(['retention', '--realm', ''], variables)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The organization is deactivated: nothing of it is removed.\n',
    });
  });
});

interface Removed {
  dry_run: boolean;
  messages: number;
}

interface Populated {
  streams: { stream_id: number; name: string; topics: string[] }[];
}
