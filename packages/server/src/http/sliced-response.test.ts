import { createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SLICE_BYTES, sendInSlices } from './sliced-response.ts';

// More than the operating system accepts while the client reads nothing.
const pieces = [
  'é'.repeat(100_000),
  Buffer.alloc(30_000_000, 'a'),
  '',
  ...Array.from({ length: 5_000 }, (_, n) => Buffer.from(`${n},`)),
];
const whole = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));

/** A server that responds with these pieces. Its responses, and whether they were written to the end. */
async function serve() {
  const responses: { res: ServerResponse; written: Promise<void> }[] = [];
  const server = createServer((_, res) => {
    res.setHeader('Content-Length', whole.length);
    responses.push({ res, written: sendInSlices(res, pieces) });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port, responses };
}

test('a response in slices has the same bytes', async () => {
  const { port } = await serve();
  const res = await new Promise<NodeJS.ReadableStream>((resolve) => get({ port, host: '127.0.0.1' }, resolve));
  expect((await buffer(res)).equals(whole)).toBe(true);
});

test('a client that reads nothing has no more than one slice in memory', async () => {
  const { port, responses } = await serve();
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  client.pause();
  onTestFinished(() => void client.destroy());
  await vi.waitFor(() => expect(responses[0]?.res.writableNeedDrain).toBe(true));
  expect(responses[0]?.res.writableLength).toBeLessThanOrEqual(SLICE_BYTES + 1_000);
});

test('responses to requests that were sent at once arrive one after the other, whole', async () => {
  const { port, responses } = await serve();
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await vi.waitFor(() => expect(responses).toHaveLength(2));
  expect(responses[1]?.res.writableLength).toBeLessThanOrEqual(SLICE_BYTES + 1_000);
  const received = await buffer(client);
  const bodies = [received.indexOf('\r\n\r\n') + 4, received.length - whole.length];
  expect(bodies.map((at) => received.subarray(at, at + whole.length).equals(whole))).toEqual([true, true]);
});

test('a client that leaves ends the writing', async () => {
  const { port, responses } = await serve();
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  client.pause();
  await vi.waitFor(() => expect(responses[0]?.res.writableNeedDrain).toBe(true));
  client.destroy();
  await responses[0]?.written;
  expect(responses[0]?.res.writableFinished).toBe(false);
});
