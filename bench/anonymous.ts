// What a request without valid credentials costs: CPU time of the server for each, the hostile ones included.
import { gzipSync } from 'node:zlib';
import { type Child, startChild } from './harness/child.ts';
import { addMessages, addStreams, addUsers, join } from './harness/fill.ts';
import type { Harness } from './harness/harness.ts';
import type { LoadRequest, LoadResult } from './harness/load-process.ts';
import { atMost, type Measurement } from './harness/measurement.ts';
import type { BenchServer } from './harness/server.ts';
import { median } from './harness/times.ts';

const ROUNDS = 3;
const SECONDS = 1;
const AT_ONCE = 4;
/** Milliseconds of CPU time. */
const LIMIT = 5;

const base64 = (data: Buffer | string): string => Buffer.from(data).toString('base64');
const gzip = { 'Content-Encoding': 'gzip' };
const json = { 'Content-Type': 'application/json' };
const search = encodeURIComponent(JSON.stringify(Array.from({ length: 100 }, () => ['search', 'soup '.repeat(50)])));

/** Requests that anybody can send. Hashing a password is not among them: it has threads and a queue of its own. */
function listRequests(email: string): Record<string, LoadRequest> {
  const form = { method: 'POST', path: '/api/v1/fetch_api_key' };
  return {
    'a form of 8 MB in 8 KB of gzip': { ...form, bytes: base64(gzipSync('a&'.repeat(4_000_000))), headers: gzip },
    'JSON of 900,000 keys in 2 MB of gzip': {
      ...form,
      bytes: base64(gzipSync(`{${Array.from({ length: 900_000 }, (_, n) => `"k${n}":1`).join()}}`)),
      headers: { ...gzip, ...json },
    },
    'JSON that is 4,000 arrays deep': { ...form, body: '['.repeat(4_000), headers: json },
    'a form of 2,000 fields': { ...form, body: 'a=1&'.repeat(2_000) },
    'a multipart form of 50 parts': {
      ...form,
      body: `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(50)}--b--\r\n`,
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    },
    'an address of 12,000 characters': { method: 'GET', path: `/api/v1/messages?${'a=1&'.repeat(3_000)}` },
    'headers of 12,000 characters': {
      method: 'GET',
      path: '/api/v1/users/me',
      headers: { Authorization: `Basic ${'x '.repeat(6_000)}` },
    },
    'a page of messages with 100 searches': {
      method: 'GET',
      path: `/api/v1/messages?anchor=newest&num_before=1000&num_after=0&narrow=${search}`,
    },
    'a wrong API key': {
      method: 'GET',
      path: '/api/v1/users/me',
      login: `Basic ${base64(`${email}:${'0'.repeat(32)}`)}`,
    },
    'an invalid token': {
      method: 'GET',
      path: '/api/v1/users/me',
      headers: { Authorization: `Bearer ${'x'.repeat(40)}` },
    },
    'an organization that does not exist': {
      method: 'GET',
      path: '/api/v1/server_settings',
      headers: { Host: 'missing.localhost' },
    },
    'the picture of a user who does not exist': { method: 'GET', path: '/avatar/999999' },
    'settings of the server': { method: 'GET', path: '/api/v1/server_settings' },
  };
}

export const anonymous: Measurement = {
  name: 'anonymous',
  async run(harness: Harness) {
    const organization = await harness.organization();
    const users = await addUsers(organization, 10);
    const [stream] = await addStreams(organization, 1);
    const [ada] = users;
    if (!stream || !ada) throw new Error('The organization has no users or no stream.');
    await join(organization, [stream], users);
    await addMessages(organization, { stream, topic: 'soup', by: users, count: harness.size(10_000, 100) });
    const server = await harness.server(organization);
    const load = await startChild('load-process.ts', {});
    harness.atEnd(() => load.stop());
    const rows = [];
    for (const [what, request] of Object.entries(listRequests(ada.email))) {
      const costs: number[] = [];
      let statuses: LoadResult['statuses'] = {};
      for (let round = 0; round <= ROUNDS; round++) {
        const found = await costOf(server, load, request);
        if (round > 0) costs.push(found.cost);
        statuses = found.statuses;
      }
      const figures = Object.fromEntries(
        Object.entries(statuses).map(([status, count]) => [`status ${status}`, count]),
      );
      rows.push(
        atMost({
          compared: `CPU without credentials: ${what}`,
          value: median(costs),
          limit: LIMIT,
          unit: ' ms',
          figures,
        }),
      );
    }
    return rows;
  },
};

async function costOf(server: BenchServer, load: Child, request: LoadRequest) {
  const before = await server.cpu();
  const run = { port: server.port, requests: [request], atOnce: AT_ONCE, seconds: SECONDS };
  const { sent, statuses } = await load.call<LoadResult>('run', run);
  return { cost: ((await server.cpu()) - before) / sent, statuses };
}
