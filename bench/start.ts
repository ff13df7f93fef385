// How long `parley serve` takes until it is ready, on PostgreSQL and on a fresh embedded database.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lab } from './lab/lab.ts';
import { type Measurement, ms, told } from './lab/measurement.ts';
import { type Environment, serve } from './lab/parley.ts';
import { SECRET } from './lab/postgres.ts';
import { median, pause } from './lab/times.ts';

const STARTS = 5;

export const start: Measurement = {
  name: 'start',
  async run(lab) {
    const place = await lab.place();
    const [migrated, fresh] = [[] as number[], [] as number[]];
    for (let n = 0; n < lab.size(STARTS); n++) {
      migrated.push(await readyAfter(lab, { DATABASE_URL: place.url, PARLEY_SECRET: SECRET }));
      const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
      lab.atEnd(() => rmSync(folder, { recursive: true, force: true }));
      fresh.push(await readyAfter(lab, { PARLEY_DATA_DIR: folder }));
    }
    return [
      told('`parley serve` on a migrated PostgreSQL, until /readyz answers 200', ms(median(migrated))),
      told('`parley serve` in an empty folder, until /readyz answers 200', ms(median(fresh))),
    ];
  },
};

async function readyAfter(lab: Lab, environment: Environment): Promise<number> {
  const port = await freePort();
  const started = performance.now();
  const child = serve({ PARLEY_PORT: String(port), ...environment });
  lab.atEnd(() => child.kill('SIGKILL'));
  const end = once(child, 'exit');
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    await pause(5);
  }
  const took = performance.now() - started;
  child.kill('SIGTERM');
  await end;
  return took;
}

/** One that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
