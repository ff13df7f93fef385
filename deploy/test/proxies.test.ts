// The sample configurations of the proxies, with the real servers.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { limits } from '../../packages/server/src/core/limits.ts';
import { jsonOf, type Reply } from './https-client.ts';
import { DOMAIN } from './proxy.ts';
import { samples, useDeployment } from './proxy-samples.ts';
import { whyNotRun } from './requirements.ts';

const MIB = 1024 * 1024;

for (const { part, start, readTimeout } of samples) {
  describe.skipIf(whyNotRun(part))(`Parley behind ${part}`, () => {
    const { deployment, url, basic, get, sendMessage, waitingPolls } = useDeployment(start);

    describe('TLS', () => {
      test('the API responds over TLS, at the names of organizations only', async () => {
        expect((await get('/api/v1/users/me')).status).toBe(200);
        const other = await deployment().client.send(new URL(`https://other.${DOMAIN}/api/v1/server_settings`));
        expect([other.status, jsonOf(other)]).toMatchObject([404, { code: 'NONEXISTENT_SUBDOMAIN' }]);
      });

      test('plain HTTP is redirected, and browsers remember that', async () => {
        const request = plainRequest({
          host: '127.0.0.1',
          port: deployment().proxy.httpPort,
          path: '/api/v1/users/me?a=b',
          headers: { Host: DOMAIN },
        });
        request.end();
        const [response] = await once(request, 'response');
        response.resume();
        expect(response.statusCode).toBe(308);
        expect(new URL(response.headers.location)).toMatchObject({ protocol: 'https:', pathname: '/api/v1/users/me' });
        expect((await get('/docs/')).headers['strict-transport-security']).toMatch(/max-age=\d{8}/);
      });

      test('links are https and have no port of an upstream', async () => {
        const { realm_uri } = await deployment().api.getServerSettings();
        expect(realm_uri).toBe(`https://${DOMAIN}`);
      });

      test('a stream passes on each event when it happens, and ends on the server when the client leaves', async () => {
        const { port, ca } = deployment().proxy;
        const session = connect(`https://${DOMAIN}:${port}`, { ca, host: '127.0.0.1', servername: DOMAIN });
        await once(session, 'connect');
        const { queue_id, last_event_id } = await deployment().api.registerQueue({ event_types: ['message'] });
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
        const { port, ca } = deployment().proxy;
        const session = connect(`https://${DOMAIN}:${port}`, { ca, host: '127.0.0.1', servername: DOMAIN });
        await once(session, 'connect');
        expect(session.alpnProtocol).toBe('h2');
        const { queue_id, last_event_id } = await deployment().api.registerQueue({ event_types: ['message'] });
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
        deployment().client.send(url('/api/v1/server_settings'), {
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
        const { uri } = await deployment().api.uploadFile({ file: new File([bytes], 'noise.bin') });
        const { status, body } = await get(uri);
        expect([status, body.equals(bytes)]).toEqual([200, true]);
      });

      const upload = async (mebibytes: number): Promise<Reply> => {
        const form = new FormData();
        form.append('file', new File([new Uint8Array(mebibytes * MIB)], 'zeros.bin'));
        const request = new Request(url('/api/v1/user_uploads'), { method: 'POST', body: form });
        const headers = { Authorization: basic(), 'Content-Type': request.headers.get('content-type') ?? '' };
        const body = Buffer.from(await request.arrayBuffer());
        return deployment().client.send(url('/api/v1/user_uploads'), { method: 'POST', headers, body });
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

    test('waits for a response for as long as clients do', () => {
      expect(readTimeout(deployment().proxy.configuration)).toBeGreaterThanOrEqual(
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
