import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

const servers: Server[] = [];

/** Starts a server with these responses: each request gets the next one, and all after the last one get the last. */
export async function between(...answers: Answer[]) {
  const heard: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    heard.push(request);
    request.resume();
    answers[Math.min(heard.length, answers.length) - 1]?.(response, request);
  }).listen(0);
  servers.push(server);
  await once(server, 'listening');
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, heard };
}

export function closeServers(): void {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
}
