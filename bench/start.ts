// The time that `parley serve` takes until it is ready, on PostgreSQL and on a new embedded database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Harness } from './harness/harness.ts';
import { type Measurement, ms, printRow } from './harness/measurement.ts';
import { startOperatorServer } from './harness/operator-server.ts';
import type { ServerEnvironment } from './harness/parley.ts';
import { SECRET } from './harness/postgres.ts';
import { median } from './harness/times.ts';

const STARTS = 5;

export const start: Measurement = {
  name: 'start',
  async run(harness) {
    const organization = await harness.organization();
    const [migrated, fresh] = [[] as number[], [] as number[]];
    for (let n = 0; n < harness.size(STARTS); n++) {
      migrated.push(await readyAfter(harness, { DATABASE_URL: organization.url, PARLEY_SECRET: SECRET }));
      const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
      harness.atEnd(() => rmSync(folder, { recursive: true, force: true }));
      fresh.push(await readyAfter(harness, { PARLEY_DATA_DIR: folder }));
    }
    return [
      printRow('`parley serve` on a migrated PostgreSQL, until /readyz returns 200', ms(median(migrated))),
      printRow('`parley serve` in an empty folder, until /readyz returns 200', ms(median(fresh))),
    ];
  },
};

async function readyAfter(harness: Harness, environment: ServerEnvironment): Promise<number> {
  const { took, stop } = await startOperatorServer(harness, environment);
  await stop();
  return took;
}
