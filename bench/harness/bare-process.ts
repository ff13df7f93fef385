// The minimum of a server that notifies all clients: it holds responses, and sends the same bytes to all of them.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCalls } from './child.ts';

const { body, headers } = JSON.parse(process.argv[2] ?? '{}') as { body: string; headers: Record<string, string> };
let held: ServerResponse[] = [];
const server = createServer((req, res) => {
  if (req.method === 'GET') return void held.push(res);
  const all = held;
  held = [];
  for (const one of all) one.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
  res.end('{}');
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));

serveCalls({
  port: () => (server.address() as AddressInfo).port,
  waiting: () => held.length,
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
});
