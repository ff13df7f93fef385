import { once } from 'node:events';
import { createServer } from 'node:net';

/** The number of ports to try after the requested one. */
const MORE = 100;

/** Returns the port, or the next free one. */
export async function findFreePort(host: string, preferred: number): Promise<number | undefined> {
  for (let port = preferred; port <= Math.min(preferred + MORE, 65_535); port++)
    if (await isFree(host, port)) return port;
  return undefined;
}

export async function isFree(host: string, port: number): Promise<boolean> {
  // `localhost` resolves to both addresses, and many programs try the second one first.
  const hosts = host === '127.0.0.1' ? [host, '::1'] : [host];
  for (const one of hosts) if (await isTaken(one, port)) return false;
  return true;
}

/** A machine without IPv6 has no address `::1`, so the port cannot be taken there. */
async function isTaken(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  }
  server.close();
  await once(server, 'close');
  return false;
}
