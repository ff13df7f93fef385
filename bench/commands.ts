// How long short commands of the command line take, from the start of the process to its end.
import type { Lab } from './lab/lab.ts';
import { atMost, type Measurement, type Row } from './lab/measurement.ts';
import { type Environment, runCommand } from './lab/parley.ts';
import { SECRET } from './lab/postgres.ts';
import { median } from './lab/times.ts';

const RUNS = 9;
const LIMIT = 300;
const short = ['--help', 'config', 'migrate --status', 'doctor', 'realm list', 'user list --realm='];
const mail = 'deliver-mail nowhere@localhost';

export const commands: Measurement = {
  name: 'commands',
  async run(lab) {
    const place = await lab.place();
    const environment = { DATABASE_URL: place.url, PARLEY_SECRET: SECRET };
    const rows: Row[] = [];
    for (const command of [...short, mail]) rows.push(await measured(lab, command, environment));
    return rows;
  },
};

async function measured(lab: Lab, command: string, environment: Environment): Promise<Row> {
  const times: number[] = [];
  for (let n = 0; n < lab.size(RUNS, 3); n++) times.push(await runCommand(command.split(' '), environment));
  return atMost({ compared: `\`parley ${command}\`, start to end`, value: median(times), limit: LIMIT, unit: ' ms' });
}
