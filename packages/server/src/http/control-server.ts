// The control server: runs commands for other processes on a server with the embedded database.
import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ControlAddress } from '@parley/db';
import { describeError } from '../core/plain-error.ts';

/** The output of a command, and its exit code. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

export interface ControlServer {
  readonly address: ControlAddress;
  close(): Promise<void>;
}

/** The target of a control server. */
interface ControlServerOptions {
  /** The directory of the database. */
  readonly directory: string;
  readonly token: string;
  run(task: unknown): Promise<CommandOutcome>;
}

/** Names the file by which a command proves that it means the directory of this server, and not a copy of it. */
const PROOF = 'parley-proof';

const proofIn = (directory: string, name: string): string => join(directory, `parley.command.${name}`);

/** Listens on the loopback interface. A process that can read the token in the lock file has the operator's permissions. */
export async function startControlServer(directory: string, run: ControlServerOptions['run']): Promise<ControlServer> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((req, res) => {
    respond(req, res, { directory, token, run }).catch((error: unknown) =>
      reply(res, 500, { error: describeError(error) }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: { port: (server.address() as AddressInfo).port, token },
    async close() {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}

async function respond(
  req: IncomingMessage,
  res: ServerResponse,
  { directory, token, run }: ControlServerOptions,
): Promise<void> {
  if (!isRight(token, req.headers.authorization)) return reply(res, 401, { error: 'The token is wrong.' });
  if (req.method !== 'POST' || req.url !== '/run') return reply(res, 404, { error: 'There is only POST /run.' });
  const proof = String(req.headers[PROOF]);
  if (!/^[\da-f-]{36}$/.test(proof) || !existsSync(proofIn(directory, proof)))
    return reply(res, ELSEWHERE, { error: 'The server has another directory.' });
  reply(res, 200, await run(JSON.parse(await text(req))));
}

function isRight(token: string, header: string | undefined): boolean {
  const received = Buffer.from(header ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return received.length === expected.length && timingSafeEqual(received, expected);
}

function reply(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' }).end(JSON.stringify(body));
}

/** The status for a command that was called for a copy of the directory. */
const ELSEWHERE = 409;

/**
 * Runs a command on the control server. Returns undefined when no server responds, or one that has another directory
 * than this one: the server finds no file here then.
 */
export async function runOnServer(
  address: ControlAddress,
  task: object,
  directory: string,
): Promise<CommandOutcome | undefined> {
  const proof = randomUUID();
  try {
    writeFileSync(proofIn(directory, proof), '', { mode: 0o600 });
    const response = await post(address, JSON.stringify(task), proof);
    const body = JSON.parse(await text(response)) as CommandOutcome & { error?: string };
    if (response.statusCode === 401 || response.statusCode === ELSEWHERE) return undefined;
    if (response.statusCode !== 200) throw new Error(`The server could not run the command: ${body.error}`);
    return body;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return undefined;
    throw error;
  } finally {
    rmSync(proofIn(directory, proof), { force: true });
  }
}

/** Not `fetch`, which times out after some minutes: commands can take longer. */
function post({ port, token }: ControlAddress, body: string, proof: string): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${token}`, [PROOF]: proof };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, method: 'POST', path: '/run', headers }, resolve).on('error', reject).end(body);
  });
}
