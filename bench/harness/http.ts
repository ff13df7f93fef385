// HTTP requests of clients, encoded before the clock starts: the time covers the server and the connection.
import { Agent, type IncomingMessage, request } from 'node:http';
import { encodeForm } from '@parley/client';
import { pause } from './times.ts';

export interface BenchUser {
  readonly id: number;
  readonly email: string;
  /** The Authorization header. */
  readonly login: string;
}

export interface BenchResponse {
  /** From the first byte sent to the last one received. */
  readonly ms: number;
  readonly text: string;
}

/** Any response but success. */
export class BenchErrorResponse extends Error {
  readonly status: number;
  /** Seconds; 0 without a `Retry-After`. */
  readonly retryAfter: number;

  constructor(what: string, response: IncomingMessage, text: string) {
    super(`${what}: ${response.statusCode} ${text.slice(0, 200).trim()}`);
    this.status = response.statusCode ?? 0;
    this.retryAfter = Number(response.headers['retry-after'] ?? 0);
  }
}

/** A busy server names a delay of seconds, so a request is tried for a minute at least. */
const ATTEMPTS = 60;

/** Sends a request again while the server is too busy for it, after the delay that the server names. */
export async function retryWhileBusy<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      const isBusy = error instanceof BenchErrorResponse && error.status === 503;
      if (!isBusy || attempt === ATTEMPTS) throw error;
      await pause(error.retryAfter * 1000);
    }
  }
}

export interface Connection {
  /**
   * Sends `GET /users/me` and the like as a user.
   * @throws BenchErrorResponse
   */
  request(who: BenchUser, what: string, params?: object): Promise<BenchResponse>;
  close(): void;
}

const PREFIX = '/api/v1';

/** Connections to one server, which stay open between requests. */
export function openConnection(port: number, maxSockets = 512): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets });
  return {
    request(who, what, params = {}) {
      const [method = '', path = ''] = what.split(' ');
      const form = encodeForm(params).toString();
      const inQuery = method === 'GET' && form !== '';
      const body = method === 'GET' ? undefined : Buffer.from(form);
      const headers = {
        Host: 'localhost',
        Authorization: who.login,
        ...(body && { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': body.length }),
      };
      const target = {
        host: '127.0.0.1',
        port,
        agent,
        method,
        headers,
        path: PREFIX + path + (inQuery ? `?${form}` : ''),
      };
      const started = performance.now();
      return new Promise<BenchResponse>((resolve, reject) => {
        const sent = request(target, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            const ms = performance.now() - started;
            const text = Buffer.concat(parts).toString();
            if (response.statusCode === 200) resolve({ ms, text });
            else reject(new BenchErrorResponse(what, response, text));
          });
        });
        sent.on('error', (error) => reject(new Error(`${what}: ${error.message}`)));
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}
