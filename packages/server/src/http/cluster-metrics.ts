// The metrics of several processes on one page: each process counts for itself, and the primary process adds them up.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Config } from '../config/index.ts';
import { describeError } from '../core/plain-error.ts';
import { StartError } from '../start-error.ts';

/** Makes this process, if it is one of several, send its metrics to the primary process on request. */
export function shareFigures(registry: Registry): void {
  if (!cluster.isWorker) return;
  AggregatorRegistry.setRegistries(registry);
  // The library listens for requests once there is an instance.
  new AggregatorRegistry();
}

export interface MetricsPage {
  readonly port: number;
  close(): void;
}

/** Serves `GET /metrics` with the sums over all processes. */
export async function serveClusterMetrics({
  host,
  metrics_port,
}: Pick<Config, 'host' | 'metrics_port'>): Promise<MetricsPage> {
  const registry = new AggregatorRegistry();
  const server = createServer((req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') return void res.writeHead(404).end();
    registry.clusterMetrics().then(
      (page) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(page),
      () => res.writeHead(500).end(),
    );
  });
  server.listen(metrics_port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw new StartError(
      `Cannot listen on ${host} port ${metrics_port} (PARLEY_METRICS_PORT): ${describeError(error)}.`,
    );
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => void server.close().closeAllConnections(),
  };
}
