// The control door: how commands reach a server that has the embedded database to itself.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Door } from '@parley/db';
import { describeError } from '../core/plain-error.ts';

/** What the command line prints and how it ends. */
export interface Outcome {
  readonly code: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export interface OpenDoor {
  readonly door: Door;
  close(): Promise<void>;
}

/** Opens a door on this machine alone. Whoever can read its token in the lock may do what an operator can. */
export async function openDoor(run: (task: unknown) => Promise<Outcome>): Promise<OpenDoor> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((req, res) => {
    answer(req, res, token, run).catch((error: unknown) => reply(res, 500, { error: describeError(error) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    door: { port: (server.address() as AddressInfo).port, token },
    async close() {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  token: string,
  run: (task: unknown) => Promise<Outcome>,
): Promise<void> {
  if (!isRight(token, req.headers.authorization)) return reply(res, 401, { error: 'The token is wrong.' });
  if (req.method !== 'POST' || req.url !== '/run') return reply(res, 404, { error: 'There is only POST /run.' });
  reply(res, 200, await run(JSON.parse(await text(req))));
}

function isRight(token: string, header: string | undefined): boolean {
  const given = Buffer.from(header ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function reply(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' }).end(JSON.stringify(body));
}

/** Has the server behind a door run a command; undefined when nobody answers there any more. */
export async function askThrough(door: Door, task: object): Promise<Outcome | undefined> {
  try {
    const answer = await post(door, JSON.stringify(task));
    const body = JSON.parse(await text(answer)) as Outcome & { error?: string };
    if (answer.statusCode === 401) return undefined;
    if (answer.statusCode !== 200) throw new Error(`The server could not run the command: ${body.error}`);
    return body;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return undefined;
    throw error;
  }
}

/** Not `fetch`, which gives up after some minutes: a command takes the time it takes. */
function post({ port, token }: Door, body: string): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, method: 'POST', path: '/run', headers }, resolve).on('error', reject).end(body);
  });
}
