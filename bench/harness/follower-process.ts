// Many clients that read their queues, by polls or by streams: a socket for each, in a process of its own.
import { connect, type Socket } from 'node:net';
import { serveCalls } from './child.ts';

export interface FollowRequests {
  readonly port: number;
  readonly by: 'polls' | 'stream';
  readonly last_event_id: number;
  readonly queues: readonly { readonly queue_id: string; readonly login: string }[];
}

interface Follower {
  readonly socket: Socket;
  received_count: number;
}

let followers: Follower[] = [];
let awaited: { count: number; resolve: () => void } | undefined;

function checkReceived(): void {
  if (!awaited || followers.some(({ received_count }) => received_count < (awaited?.count ?? 0))) return;
  awaited.resolve();
  awaited = undefined;
}

function openFollower({ port, by, last_event_id }: FollowRequests, queue_id: string, login: string): Follower {
  const socket = connect({ port, host: '127.0.0.1' });
  const follower: Follower = { socket, received_count: 0 };
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  const request = (last: number, accept: string) =>
    socket.write(
      `GET /api/v1/events?queue_id=${queue_id}&last_event_id=${last} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${login}\r\nAccept: ${accept}\r\n\r\n`,
    );
  const count = (events: number) => {
    follower.received_count += events;
    checkReceived();
  };
  if (by === 'polls') readPolls(socket, count, (last) => request(last, 'application/json'), last_event_id);
  else readStream(socket, count);
  request(last_event_id, by === 'polls' ? 'application/json' : 'text/event-stream');
  return follower;
}

function readPolls(socket: Socket, count: (n: number) => void, request: (last: number) => void, start: number): void {
  let received = '';
  let last = start;
  socket.on('data', (part: string) => {
    received += part;
    const head = received.indexOf('\r\n\r\n');
    if (head < 0) return;
    const [, length = '0'] = /^content-length: (\d+)/im.exec(received) ?? [];
    if (received.length < head + 4 + Number(length)) return;
    const { events } = JSON.parse(received.slice(head + 4)) as { events: { id: number; type: string }[] };
    received = '';
    last = events.at(-1)?.id ?? last;
    request(last);
    count(events.filter(({ type }) => type === 'message').length);
  });
}

function readStream(socket: Socket, count: (n: number) => void): void {
  let rest = '';
  socket.on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    const events = lines.filter((line) => line.startsWith('data:')).length;
    if (events > 0) count(events);
  });
}

serveCalls({
  /** Adds clients that each read a queue. */
  add(requests: FollowRequests) {
    for (const { queue_id, login } of requests.queues) followers.push(openFollower(requests, queue_id, login));
  },
  /** Waits until each client has received that many messages. */
  async waitForEvents(count: number) {
    await new Promise<void>((resolve) => {
      awaited = { count, resolve };
      checkReceived();
    });
  },
  leave() {
    for (const { socket } of followers) socket.destroy();
    followers = [];
  },
});
