// Many waiting clients: a socket for each, in a process of its own, so that they do not affect the measurement.
import { connect, type Socket } from 'node:net';
import { serveCalls } from './child.ts';
import { clock } from './times.ts';

export interface PollerOptions {
  readonly port: number;
  /** The requests of each client, in this order. */
  readonly requests: readonly { path: string; login: string }[];
}

interface Client {
  readonly socket: Socket;
  received: string;
  /** When its response was complete. */
  at: number | undefined;
}

let clients: Client[] = [];
let onAllResponses: (() => void) | undefined;
const hasResponse = ({ at }: Client) => at !== undefined;

function open(port: number): Client {
  const socket = connect({ port, host: '127.0.0.1' });
  const client: Client = { socket, received: '', at: undefined };
  socket.setEncoding('latin1');
  socket.on('data', (part: string) => {
    client.received += part;
    if (!isComplete(client.received)) return;
    client.at = clock();
    if (clients.every(hasResponse)) onAllResponses?.();
  });
  socket.on('error', () => socket.destroy());
  return client;
}

function isComplete(received: string): boolean {
  const head = received.indexOf('\r\n\r\n');
  if (head < 0) return false;
  const [, length = '0'] = /^content-length: (\d+)/im.exec(received) ?? [];
  return received.length >= head + 4 + Number(length);
}

serveCalls({
  /** Adds clients that each wait for a response. */
  add({ port, requests }: PollerOptions) {
    for (const { path, login } of requests) {
      const client = open(port);
      client.socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${login}\r\n\r\n`);
      clients.push(client);
    }
  },
  /** The response that has arrived already, if there is one. */
  early: () => clients.find(hasResponse)?.received,
  /**
   * Waits until every client has its response: when the first and the last one got it, and the content of the first.
   */
  async responses() {
    if (!clients.every(hasResponse)) await new Promise<void>((resolve) => (onAllResponses = resolve));
    const times = clients.map(({ at }) => at ?? 0);
    const status = new Set(clients.map(({ received }) => received.slice(9, 12)));
    return { first: Math.min(...times), last: Math.max(...times), status: [...status], example: clients[0]?.received };
  },
  leave() {
    for (const { socket } of clients) socket.destroy();
    clients = [];
    onAllResponses = undefined;
  },
});
