// HTTP requests of clients, encoded before the clock starts: the time covers the server and the connection.
import { Agent, request } from 'node:http';
import { encodeForm } from '@parley/client';

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

export interface Connection {
  /** Sends `GET /users/me` and the like as a user; any response but success is an error. */
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
            else reject(new Error(`${what}: ${response.statusCode} ${text.slice(0, 200).trim()}`));
          });
        });
        sent.on('error', (error) => reject(new Error(`${what}: ${error.message}`)));
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}
