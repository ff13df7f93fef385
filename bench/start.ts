// How long `parley serve` takes until it is ready, on PostgreSQL and on a fresh embedded database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lab } from './lab/lab.ts';
import { type Measurement, ms, told } from './lab/measurement.ts';
import type { Environment } from './lab/parley.ts';
import { SECRET } from './lab/postgres.ts';
import { startServing } from './lab/serving.ts';
import { median } from './lab/times.ts';

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
  const { took, stop } = await startServing(lab, environment);
  await stop();
  return took;
}
