// The time of short commands of the command line, from the start of the process to its end.
import type { Harness } from './harness/harness.ts';
import { atMost, type Measurement, type MeasurementRow } from './harness/measurement.ts';
import { runCommand, type ServerEnvironment } from './harness/parley.ts';
import { SECRET } from './harness/postgres.ts';
import { median } from './harness/times.ts';

const RUNS = 9;
const LIMIT = 300;
const short = ['--help', 'config', 'migrate --status', 'doctor', 'realm list', 'user list --realm='];
const mail = 'deliver-mail nowhere@localhost';

export const commands: Measurement = {
  name: 'commands',
  async run(harness) {
    const organization = await harness.organization();
    const environment = { DATABASE_URL: organization.url, PARLEY_SECRET: SECRET };
    const rows: MeasurementRow[] = [];
    for (const command of [...short, mail]) rows.push(await measured(harness, command, environment));
    return rows;
  },
};

async function measured(harness: Harness, command: string, environment: ServerEnvironment): Promise<MeasurementRow> {
  const times: number[] = [];
  for (let n = 0; n < harness.size(RUNS, 3); n++) times.push(await runCommand(command.split(' '), environment));
  return atMost({ compared: `\`parley ${command}\`, start to end`, value: median(times), limit: LIMIT, unit: ' ms' });
}
