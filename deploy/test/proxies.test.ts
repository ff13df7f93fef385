// The sample configurations of the proxies, with the real servers.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../packages/server/src/core/limits.ts';
import {
  acknowledgedReach,
  ascending,
  createLedger,
  startSenderThrough,
  storedIds,
} from '../../packages/server/test/faults/ledger.ts';
import { endServers } from '../../packages/server/test/parley.ts';
import { type Deployment, deploy } from './deployment.ts';
import { jsonOf, type Reply } from './https-client.ts';
import { DOMAIN, type StartProxy, startCaddy, startNginx } from './proxy.ts';
import { type Part, whyNotRun } from './requirements.ts';

const MIB = 1024 * 1024;
const ENOUGH = { timeout: 10_000 };

interface Sample {
  readonly part: Part;
  readonly start: StartProxy;
  /** Seconds for which the proxy waits for a response, from its parsed configuration. */
  readonly readTimeout: (configuration: string) => number;
  /** Whether the proxy repeats writes that have an `Idempotency-Key`. */
  readonly repeatsWrites: boolean;
}

const samples: readonly Sample[] = [
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

for (const { part, start, readTimeout, repeatsWrites } of samples) {
  describe.skipIf(whyNotRun(part))(`Parley behind ${part}`, () => {
    let deployment: Deployment;
    beforeAll(async () => {
      deployment = await deploy(start);
    });
    afterAll(async () => {
      await deployment?.end();
      // The files of a deployment that did not start in time.
      await endServers();
    });

    const url = (path: string) => new URL(path, `https://${DOMAIN}`);
    const basic = () => {
      const { email, api_key } = deployment.owner;
      return `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}`;
    };
    const get = (path: string) => deployment.client.send(url(path), { headers: { Authorization: basic() } });

    /** Waits for an event in a new queue; returns the types of the events. */
    async function poll() {
      const { queue_id, last_event_id } = await deployment.api.registerQueue({ event_types: ['message'] });
      return deployment.api.getEvents({ queue_id, last_event_id }).then(({ events }) => events.map(({ type }) => type));
    }

    const sendMessage = () =>
      deployment.api.sendMessage({ type: 'direct', to: [deployment.owner.user_id], content: 'Hello.' });

    const waitingPolls = () => Promise.all(deployment.processes.map((process) => process.waitingPolls()));

    /** Starts polls and waits until all of them wait; returns the number of polls of each process. */
    async function holdPolls(count: number) {
      const polls = Array.from({ length: count }, poll);
      await expect.poll(async () => (await waitingPolls()).reduce((sum, held) => sum + held)).toBe(count);
      return { polls, held: await waitingPolls() };
    }

    describe('TLS', () => {
      test('the API responds over TLS, at the names of organizations only', async () => {
        expect((await get('/api/v1/users/me')).status).toBe(200);
        const other = await deployment.client.send(new URL(`https://other.${DOMAIN}/api/v1/server_settings`));
        expect([other.status, jsonOf(other)]).toMatchObject([404, { code: 'NONEXISTENT_SUBDOMAIN' }]);
      });

      test('plain HTTP is redirected, and browsers remember that', async () => {
        const asked = plainRequest({
          host: '127.0.0.1',
          port: deployment.proxy.httpPort,
          path: '/api/v1/users/me?a=b',
          headers: { Host: DOMAIN },
        });
        asked.end();
        const [response] = await once(asked, 'response');
        response.resume();
        expect(response.statusCode).toBe(308);
        expect(new URL(response.headers.location)).toMatchObject({ protocol: 'https:', pathname: '/api/v1/users/me' });
        expect((await get('/docs/')).headers['strict-transport-security']).toMatch(/max-age=\d{8}/);
      });

      test('links are https and have no port of an upstream', async () => {
        const { realm_uri } = await deployment.api.getServerSettings();
        expect(realm_uri).toBe(`https://${DOMAIN}`);
      });

      test('a stream passes on each event when it happens, and ends on the server when the client leaves', async () => {
        const { port, ca } = deployment.proxy;
        const session = connect(`https://${DOMAIN}:${port}`, { ca, host: '127.0.0.1', servername: DOMAIN });
        await once(session, 'connect');
        const { queue_id, last_event_id } = await deployment.api.registerQueue({ event_types: ['message'] });
        const stream = session.request({
          ':path': `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}`,
          authorization: basic(),
          accept: 'text/event-stream',
        });
        let received = '';
        stream.setEncoding('utf8').on('data', (part: string) => (received += part));
        const [headers] = await once(stream, 'response');
        expect(headers).toMatchObject({
          ':status': 200,
          'content-type': 'text/event-stream',
          'cache-control': 'no-cache',
        });
        await expect.poll(() => received).toBe(': stream\n\n');
        for (let n = 1; n <= 3; n++) {
          await sendMessage();
          await expect.poll(() => received.split('\ndata: ').length).toBe(n + 1);
        }
        session.destroy();
        await expect.poll(async () => (await waitingPolls()).reduce((sum, held) => sum + held)).toBe(0);
      });

      test('many requests share one HTTP/2 connection, and a poll does not delay the other requests', async () => {
        const { port, ca } = deployment.proxy;
        const session = connect(`https://${DOMAIN}:${port}`, { ca, host: '127.0.0.1', servername: DOMAIN });
        await once(session, 'connect');
        expect(session.alpnProtocol).toBe('h2');
        const { queue_id, last_event_id } = await deployment.api.registerQueue({ event_types: ['message'] });
        const events = over(session, `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}`, basic());
        const users = await Promise.all(Array.from({ length: 20 }, () => over(session, '/api/v1/users/me', basic())));
        expect(users.map(({ status }) => status)).toEqual(Array(20).fill(200));
        await sendMessage();
        expect(await events).toMatchObject({ status: 200, body: expect.stringContaining('"Hello.') });
        session.close();
      });
    });

    describe('forwarded headers', () => {
      const unauthenticated = (localAddress: string, forged: string) =>
        deployment.client.send(url('/api/v1/server_settings'), {
          localAddress,
          headers: { 'X-Forwarded-For': forged, 'X-Real-IP': forged, Forwarded: `for=${forged}` },
        });

      test('limits by IP address count clients and not the proxy, whatever headers the clients send', async () => {
        const statuses: number[] = [];
        for (const n of [1, 2, 3, 4]) statuses.push((await unauthenticated('127.0.0.3', `203.0.113.${n}`)).status);
        expect(statuses).toEqual([200, 200, 200, 429]);
        expect((await unauthenticated('127.0.0.4', '203.0.113.1')).status).toBe(200);
      });
    });

    describe('sizes', () => {
      test('a file of 25 MiB passes in both directions', async () => {
        const bytes = randomBytes(limits.max_file_upload_size_mib * MIB);
        const { uri } = await deployment.api.uploadFile({ file: new File([bytes], 'noise.bin') });
        const { status, body } = await get(uri);
        expect([status, body.equals(bytes)]).toEqual([200, true]);
      });

      const upload = async (mebibytes: number): Promise<Reply> => {
        const form = new FormData();
        form.append('file', new File([new Uint8Array(mebibytes * MIB)], 'zeros.bin'));
        const asked = new Request(url('/api/v1/user_uploads'), { method: 'POST', body: form });
        const headers = { Authorization: basic(), 'Content-Type': asked.headers.get('content-type') ?? '' };
        const body = Buffer.from(await asked.arrayBuffer());
        return deployment.client.send(url('/api/v1/user_uploads'), { method: 'POST', headers, body });
      };

      test('a larger file gets an error of Parley that names the limit', async () => {
        const reply = await upload(26);
        expect([reply.status, jsonOf(reply)]).toMatchObject([
          400,
          { code: 'BAD_REQUEST', msg: expect.stringContaining('25 MiB') },
        ]);
      });

      test('a body that no operation accepts gets an error with the schema of the API', async () => {
        const reply = await upload(60);
        expect([400, 413]).toContain(reply.status);
        expect(jsonOf(reply)).toMatchObject({
          result: 'error',
          code: 'BAD_REQUEST',
          reason: 'invalid',
          msg: expect.stringMatching(/at most/),
        });
      });

      test('a URL of 40 KB passes: a narrow can name many users', async () => {
        const narrow = JSON.stringify([
          { operator: 'dm', operand: Array.from({ length: 4000 }, (_, n) => 1000000 + n) },
        ]);
        const path = `/api/v1/messages?anchor=newest&num_before=1&num_after=0&narrow=${encodeURIComponent(narrow)}`;
        expect(path.length).toBeGreaterThan(40_000);
        const reply = await get(path);
        expect(jsonOf(reply)).toHaveProperty('result');
        expect(reply.status).not.toBe(414);
      });
    });

    describe('two processes', () => {
      test('polls at both processes receive messages that were sent through one of them', async () => {
        const { polls, held } = await holdPolls(8);
        expect(Math.min(...held)).toBeGreaterThan(0);
        await sendMessage();
        expect(await Promise.all(polls)).toEqual(Array(8).fill(['message']));
      });

      test('when one is killed, reads and polls succeed at the other', async () => {
        const { polls, held } = await holdPolls(8);
        expect(Math.min(...held)).toBeGreaterThan(0);
        const statuses = await whileReading(() => deployment.processes[1].end('SIGKILL'));
        expect(statuses).toEqual(new Set([200]));
        await expect.poll(() => deployment.processes[0].waitingPolls()).toBe(8);
        await sendMessage();
        expect(await Promise.all(polls)).toEqual(Array(8).fill(['message']));
      });

      test.runIf(repeatsWrites)(
        'when one is killed, writes with an Idempotency-Key succeed at the other, once',
        async () => {
          await deployment.restart(1);
          await deployment.api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
          const ledger = createLedger();
          const senders = [1, 2, 3, 4].map((n) => startSenderThrough(deployment.api, `sender ${n}`, ledger));
          for (const { done } of senders) done.catch(() => undefined);
          await expect.poll(() => deployment.processes[1].sendRequests(), ENOUGH).toBeGreaterThan(10);
          await deployment.processes[1].end('SIGKILL');
          await acknowledgedReach(ledger, ledger.acknowledged.length + 40);
          for (const sender of senders) sender.stop();
          await Promise.all(senders.map(({ done }) => done));
          expect([[...ledger.codes], ledger.lost], deployment.proxy.errors()).toEqual([[], []]);
          expect(await storedIds(deployment.api)).toEqual(ascending(ledger.acknowledged));
        },
      );

      test('when one is restarted as for an update, no read fails', async () => {
        await deployment.restart(1);
        const statuses = await whileReading(async () => {
          expect(await deployment.processes[0].end('SIGTERM')).toBe(0);
        });
        expect(statuses).toEqual(new Set([200]));
        await deployment.restart(0);
        await expect.poll(() => usesBoth()).toBe(true);
      });

      test('when both are down, the error has the schema of the API', async () => {
        await Promise.all(deployment.processes.map((process) => process.end('SIGKILL')));
        const reply = await get('/api/v1/users/me');
        expect([502, 503, 504]).toContain(reply.status);
        expect(jsonOf(reply)).toMatchObject({ result: 'error', code: 'INTERNAL_SERVER_ERROR' });
      });

      /** Sends reads by several clients before, during and after `work`; returns the statuses of the responses. */
      async function whileReading(work: () => Promise<unknown>): Promise<Set<number>> {
        const statuses = new Set<number>();
        let isOver = false;
        const read = async () => {
          while (!isOver) statuses.add((await get('/api/v1/users/me')).status);
        };
        const readers = Array.from({ length: 6 }, read);
        await pause(300);
        await work();
        await pause(700);
        isOver = true;
        await Promise.all(readers);
        return statuses;
      }

      /** Whether the proxy forwards requests to both processes: polls at each of them. */
      async function usesBoth(): Promise<boolean> {
        const { polls, held } = await holdPolls(4);
        await sendMessage();
        await Promise.all(polls);
        return Math.min(...held) > 0;
      }
    });

    test('waits for a response for as long as clients do', () => {
      expect(readTimeout(deployment.proxy.configuration)).toBeGreaterThanOrEqual(
        limits.event_queue_longpoll_timeout_seconds,
      );
    });
  });
}

async function over(session: ClientHttp2Session, path: string, authorization: string) {
  const stream = session.request({ ':path': path, authorization });
  const [headers] = await once(stream, 'response');
  return { status: Number(headers[':status']), body: await text(stream) };
}
