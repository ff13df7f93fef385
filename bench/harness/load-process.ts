// Sends requests at a rate that does not depend on the responses, or each after the response to the previous one, in a
// process of its own.
import { Agent, request } from 'node:http';
import { serveCalls } from './child.ts';
import { pause } from './times.ts';

export interface Load {
  readonly port: number;
  /** Sent one after another, over and over. Absent: those that were prepared. */
  readonly requests?: readonly LoadRequest[];
  readonly seconds: number;
  /** Requests per second; absent: this many at once, each sent as soon as a response arrives. */
  readonly rate?: number;
  readonly atOnce?: number;
}

export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly login?: string;
  readonly body?: string;
  /** Base64, instead of `body`. */
  readonly bytes?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoadResult {
  readonly sent: number;
  /** Responses by status; 0: the connection failed. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Milliseconds of each response with status 200. */
  readonly times: readonly number[];
}

/** Milliseconds after which a client gives up. */
const TIMEOUT = 10_000;

/** Clients stay connected from one load to the next: the measurements are about requests, and not about thousands of new connections. */
const CONNECTIONS = 2_000;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });

function send(port: number, { method, path, login, body, bytes, headers: more }: LoadRequest): Promise<number> {
  const content = bytes === undefined ? body : Buffer.from(bytes, 'base64');
  const headers = {
    Host: 'localhost',
    ...(login && { Authorization: login }),
    ...(content && {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(content),
    }),
    ...more,
  };
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers, timeout: TIMEOUT }, (response) => {
      response.resume().on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
    });
    sent.on('timeout', () => sent.destroy()).on('error', () => resolve(0));
    sent.end(content);
  });
}

let prepared: readonly LoadRequest[] = [];

async function run({ port, requests = prepared, seconds, rate, atOnce = 1 }: Load): Promise<LoadResult> {
  const statuses: Record<number, number> = {};
  const times: number[] = [];
  let sent = 0;
  const one = async () => {
    const next = requests[sent++ % requests.length];
    if (!next) throw new Error('There is nothing to send.');
    const started = performance.now();
    const status = await send(port, next);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 200) times.push(performance.now() - started);
  };
  const started = performance.now();
  const isOver = () => performance.now() - started > seconds * 1000;
  const all: Promise<void>[] = [];
  if (rate === undefined) {
    const client = async () => {
      while (!isOver()) await one();
    };
    for (let n = 0; n < atOnce; n++) all.push(client());
  } else {
    while (!isOver()) {
      const due = ((performance.now() - started) / 1000) * rate;
      while (all.length < due) all.push(one());
      await pause(1);
    }
  }
  await Promise.all(all);
  return { sent, statuses, times };
}

serveCalls({
  prepare(requests: readonly LoadRequest[]) {
    prepared = requests;
  },
  run,
});
