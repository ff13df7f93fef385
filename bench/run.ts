// `npm run bench`: all measurements except those that run only by name, or those named. `--quick` uses a hundredth of
// every size, to check that they work; `--profile` stores CPU profiles of the servers. Exits with 1 when a limit is missed,
// with 2 when nothing can be measured.
import { parseArgs } from 'node:util';
import { type OpenHarness, openHarness } from './harness/harness.ts';
import { machineFacts } from './harness/machine.ts';
import { failed, type Measurement } from './harness/measurement.ts';
import { folder, keep, table } from './harness/report.ts';
import type { MeasuredRow } from './harness/results.ts';
import { measurements } from './list.ts';

/** Milliseconds after which a measurement counts as hanging. */
const TIMEOUT = 90 * 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, profile: { type: 'boolean' } },
});
const { PARLEY_BENCH_SCALE: scaleSetting = '1' } = process.env;
const scale = values.quick ? 0.01 : Number(scaleSetting);
const known = measurements.map(({ name }) => name);
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) giveUp(`There is no measurement ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
if (!(scale > 0 && scale <= 1)) giveUp('PARLEY_BENCH_SCALE must be a number above 0, up to 1.');

const profiles = values.profile ? `${folder}profiles` : undefined;
const harness = await openHarness(scale, profiles).catch((error: Error) => giveUp(error.message));
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // One signal often arrives twice, from the terminal and from npm.
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void harness.close().finally(() => process.exit(130));
  });
}
const chosen = measurements.filter(({ name, onlyByName }) =>
  positionals.length === 0 ? !onlyByName : positionals.includes(name),
);
const rows: MeasuredRow[] = [];
for (const one of chosen) rows.push(...(await measure(harness, one)));
const machine = await machineFacts(harness.postgres).finally(() => harness.close());
const results = { date: new Date().toISOString(), scale, machine, rows };
console.log(table(results));
console.log(`Kept in ${keep(results, scale === 1 && positionals.length === 0)}.`);
if (profiles) console.log(`Profiles are in ${profiles}.`);
process.exit(rows.some(({ held }) => held === false) ? 1 : 0);

async function measure(where: OpenHarness, { name, run }: Measurement): Promise<MeasuredRow[]> {
  process.stderr.write(`${name} … `);
  const started = performance.now();
  const found = await Promise.race([run(where), late()]).catch((error: unknown) => [failed(error)]);
  // An interrupted measurement has no result; the process is about to end.
  if (stopping) return new Promise(() => {});
  await where.clear();
  process.stderr.write(`${Math.round((performance.now() - started) / 1000)} s\n`);
  return found.map((row) => ({ name, ...row }));
}

function late(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`not done in ${TIMEOUT / 60_000} minutes`)), TIMEOUT).unref();
  });
}

function giveUp(why: string): never {
  console.error(why);
  process.exit(2);
}
