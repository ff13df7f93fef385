import getPort, { portNumbers } from 'get-port';

/**
 * A free port for a server that starts later, or again. Linux gives outgoing connections ports from 32,768 on, so one of those could be taken
 * before the server listens. The search begins anywhere, since other processes search as well.
 */
export function findServerPort(): Promise<number> {
  const first = 10_000 + Math.floor(20_000 * Math.random());
  return getPort({ port: portNumbers(first, 32_000) });
}
