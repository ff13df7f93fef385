// Tests that take minutes: a poll behind a proxy for its maximum duration.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { limits } from '../../packages/server/src/core/limits.ts';
import { endServers } from '../../packages/server/test/parley.ts';
import { type Deployment, deploy } from './deployment.ts';
import { openHttpsClient } from './https-client.ts';
import { DOMAIN, type StartProxy, startCaddy, startNginx } from './proxy.ts';
import { type Part, whyNotRun } from './requirements.ts';

/** The delay that the network and a busy machine can add. */
const MARGIN = 2;
/** The timeout of clients. */
const SECONDS = limits.event_queue_longpoll_timeout_seconds - MARGIN;
vi.setConfig({ testTimeout: (SECONDS + 60) * 1000 });

const samples: readonly { readonly part: Part; readonly start: StartProxy }[] = [
  { part: 'nginx', start: startNginx },
  { part: 'Caddy', start: startCaddy },
];

for (const { part, start } of samples) {
  describe.skipIf(whyNotRun(part))(`Parley behind ${part}`, () => {
    test(`a response that takes ${SECONDS} s gets through`, async () => {
      const upstream = createServer(async (_request, response) => {
        await pause(SECONDS * 1000);
        response.end('late');
      });
      upstream.listen(0, '127.0.0.1');
      await once(upstream, 'listening');
      const { port } = upstream.address() as AddressInfo;
      const proxy = await start([port, port]);
      const client = openHttpsClient(proxy);
      const { status, body } = await client.send(new URL(`https://${DOMAIN}/`));
      expect([status, body.toString()]).toEqual([200, 'late']);
      client.close();
      await proxy.end();
      upstream.close();
    });

    let deployment: Deployment | undefined;
    afterAll(async () => {
      await deployment?.end();
      // The files of a deployment that did not start completely.
      await endServers();
    });

    test('a poll of a quiet queue ends with a heartbeat of Parley', async () => {
      deployment = await deploy(start);
      const { api } = deployment;
      const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
      const began = Date.now();
      const { events } = await api.getEvents({ queue_id, last_event_id });
      expect(events.map(({ type }) => type)).toEqual(['heartbeat']);
      expect(Date.now() - began).toBeGreaterThan(44_000);
    });
  });
}
