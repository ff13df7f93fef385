// The sample configurations of the proxies, and requests through the real servers.
import { afterAll, beforeAll, expect } from 'vitest';
import { endServers } from '../../packages/server/test/parley.ts';
import { type Deployment, deploy } from './deployment.ts';
import { DOMAIN, type StartProxy, startCaddy, startNginx } from './proxy.ts';
import type { Part } from './requirements.ts';

interface Sample {
  readonly part: Part;
  readonly start: StartProxy;
  /** Seconds for which the proxy waits for a response, from its parsed configuration. */
  readonly readTimeout: (configuration: string) => number;
  /** Whether the proxy repeats writes that have an `Idempotency-Key`. */
  readonly repeatsWrites: boolean;
}

export const samples: readonly Sample[] = [
  {
    part: 'nginx',
    start: startNginx,
    readTimeout: (configuration) => Number(/^\s*proxy_read_timeout (\d+)s;$/m.exec(configuration)?.[1] ?? 60),
    repeatsWrites: true,
  },
  {
    part: 'Caddy',
    start: startCaddy,
    // Caddy waits without a limit unless one of these is set.
    readTimeout: (configuration) => {
      expect(configuration).toContain('"dial_timeout"');
      return /"(response_header|read|write)_timeout"/.test(configuration) ? 0 : Number.POSITIVE_INFINITY;
    },
    // Caddy 2.6 and 2.9 have no setting in common that keeps the body of a request for this.
    repeatsWrites: false,
  },
];

/** Deploys Parley behind a proxy for the tests of a block; returns functions that use the deployment. */
export function useDeployment(start: StartProxy) {
  let started: Deployment;
  beforeAll(async () => {
    started = await deploy(start);
  });
  afterAll(async () => {
    await started?.end();
    // The files of a deployment that did not start in time.
    await endServers();
  });
  const deployment = () => started;

  const url = (path: string) => new URL(path, `https://${DOMAIN}`);
  const basic = () => {
    const { email, api_key } = deployment().owner;
    return `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}`;
  };
  const get = (path: string) => deployment().client.send(url(path), { headers: { Authorization: basic() } });

  /** Waits for an event in a new queue; returns the types of the events. */
  async function poll() {
    const { queue_id, last_event_id } = await deployment().api.registerQueue({ event_types: ['message'] });
    return deployment()
      .api.getEvents({ queue_id, last_event_id })
      .then(({ events }) => events.map(({ type }) => type));
  }

  const sendMessage = () =>
    deployment().api.sendMessage({ type: 'direct', to: [deployment().owner.user_id], content: 'Hello.' });

  const waitingPolls = () => Promise.all(deployment().processes.map((process) => process.waitingPolls()));

  /** Starts polls and waits until all of them wait; returns the number of polls of each process. */
  async function holdPolls(count: number) {
    const polls = Array.from({ length: count }, poll);
    await expect.poll(async () => (await waitingPolls()).reduce((sum, held) => sum + held)).toBe(count);
    return { polls, held: await waitingPolls() };
  }

  return { deployment, url, basic, get, sendMessage, waitingPolls, holdPolls };
}
