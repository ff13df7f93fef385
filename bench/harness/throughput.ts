// The throughput of a server that is never idle.
import type { BenchUser } from './http.ts';
import type { BenchServer } from './server.ts';

const AT_ONCE = 16;

/** Requests per second. */
export async function perSecond(server: BenchServer, who: BenchUser, what: string, requests: number): Promise<number> {
  let left = requests;
  const worker = async () => {
    while (left-- > 0) await server.request(who, what);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (1000 * requests) / (performance.now() - started);
}
