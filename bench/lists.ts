// The large responses: all streams, and the state of a registration.
import { costOf } from './harness/costs.ts';
import { addMessages, addStreams, addUsers, join, settle } from './harness/fill.ts';
import type { Harness } from './harness/harness.ts';
import { retryWhileBusy } from './harness/http.ts';
import { atMost, type Measurement, type MeasurementRow, ms, printRow, shown } from './harness/measurement.ts';
import { median, timed } from './harness/times.ts';

const STARTS = 3;
const TOGETHER = 100;

export const lists: Measurement = {
  name: 'lists',
  run: async (harness) => [...(await streams(harness)), ...(await registration(harness)), await largest(harness)],
};

async function streams(harness: Harness): Promise<MeasurementRow[]> {
  const organization = await harness.organization();
  const count = harness.size(10_000, 10);
  await addStreams(organization, count);
  const [reader] = await addUsers(organization, 1);
  if (!reader) throw new Error('There is no reader.');
  await settle(organization);
  const server = await harness.server(organization);
  const read = () => server.request(reader, 'GET /streams');
  await read();
  const times = [];
  for (let n = 0; n < 5; n++) times.push((await read()).ms);
  const { statements } = await costOf(organization, server, read);
  const { text } = await read();
  await server.stop();
  return [printRow(`GET /streams with ${shown(count)} streams`, ms(median(times)), { statements, bytes: text.length })];
}

async function registration(harness: Harness): Promise<MeasurementRow[]> {
  const organization = await harness.organization();
  const [users, rooms] = [
    await addUsers(organization, harness.size(10_000, 20)),
    await addStreams(organization, harness.size(1000, 5)),
  ];
  const [reader] = users;
  const [lobby, ...others] = rooms;
  if (!reader || !lobby) throw new Error('There is no reader.');
  await join(organization, [lobby], users);
  await join(organization, others, users.slice(0, 10));
  for (const stream of rooms)
    await addMessages(organization, { stream, topic: 'soup', by: users.slice(0, 10), count: 10 });
  await settle(organization);
  const cold: number[] = [];
  for (let n = 1; n < STARTS; n++) {
    const fresh = await harness.server(organization);
    cold.push((await fresh.request(reader, 'POST /register')).ms);
    await fresh.stop();
  }
  const server = await harness.server(organization);
  const { ms: last, text } = await server.request(reader, 'POST /register');
  cold.push(last);
  const register = (params: object = {}) => server.request(reader, 'POST /register', params);
  const [warm, full] = [[] as number[], [] as number[]];
  for (let n = 0; n < 5; n++) {
    warm.push((await register()).ms);
    full.push((await register({ include_subscribers: true })).ms);
  }
  const { statements } = await costOf(organization, server, () => register());
  const before = await server.cpu();
  const together = await timed(() =>
    Promise.all(users.slice(0, TOGETHER).map((user) => retryWhileBusy(() => server.request(user, 'POST /register')))),
  );
  const cpu = (await server.cpu()) - before;
  const size = `${shown(users.length)} users and ${shown(rooms.length)} streams`;
  return [
    atMost({
      compared: `POST /register with ${size}, the first request of a server`,
      value: median(cold),
      limit: 1000,
      unit: ' ms',
      figures: { 'ms, warm': median(warm), 'ms, warm, with subscribers': median(full), statements, bytes: text.length },
    }),
    printRow(
      `${Math.min(TOGETHER, users.length)} registrations at once against one`,
      `${ms(together)} against ${ms(median(warm))}`,
      { 'times one': together / median(warm), 'ms of CPU of the server': cpu },
    ),
  ];
}

/** What clients of an organization with fifty thousand users wait for when they start. */
async function largest(harness: Harness): Promise<MeasurementRow> {
  const organization = await harness.organization();
  const users = await addUsers(organization, harness.size(50_000, 20));
  const [reader] = users;
  if (!reader) throw new Error('There is no reader.');
  await join(organization, await addStreams(organization, 10), users);
  await settle(organization);
  const server = await harness.server(organization);
  const { ms: first, text } = await server.request(reader, 'POST /register');
  const warm: number[] = [];
  const all: number[] = [];
  for (let n = 0; n < 5; n++) {
    warm.push((await server.request(reader, 'POST /register')).ms);
    all.push((await server.request(reader, 'GET /users')).ms);
  }
  return printRow(`POST /register with ${shown(users.length)} users, the first request of a server`, ms(first), {
    'ms, warm': median(warm),
    'ms, GET /users': median(all),
    bytes: text.length,
  });
}
