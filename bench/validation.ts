// What checking every request and every answer against the document costs: CPU of the serving process per request, Express
// alone and Express with decoder and validator, in turns. `npm run bench`.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

const ROUNDS = 5;
const REQUESTS = 3000;
const AT_ONCE = 16;
const BAR = 2;

type Variant = 'bare' | 'checked';
const variants: Variant[] = ['bare', 'checked'];
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

const times: Record<Variant, number[]> = { bare: [], checked: [] };
const servers = await Promise.all(variants.map(start));
for (let round = 0; round <= ROUNDS; round++) {
  for (const server of servers) {
    const micros = await server.measure();
    // The first round compiles validators and warms up the machine.
    if (round > 0) times[server.variant].push(micros);
  }
}
for (const server of servers) server.stop();
agent.destroy();

const result = {
  bare: median(times.bare),
  checked: median(times.checked),
  ratio: median(times.checked) / median(times.bare),
  bar: BAR,
};
console.log(`Express alone        ${result.bare.toFixed(0)} µs of CPU per request`);
console.log(`decoded and checked  ${result.checked.toFixed(0)} µs of CPU per request`);
console.log(`ratio                ${result.ratio.toFixed(2)} (bar: ${BAR})`);
mkdirSync(new URL('results/', import.meta.url), { recursive: true });
writeFileSync(new URL('results/validation.json', import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
process.exit(result.ratio <= BAR ? 0 : 1);

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function start(variant: Variant) {
  const child = fork(fileURLToPath(new URL('validation-server.ts', import.meta.url)), [variant], {
    execArgv: ['--import', 'tsx'],
  });
  process.on('exit', () => child.kill());
  const [port] = (await once(child, 'message')) as [number];
  const cpu = async (): Promise<number> => {
    child.send('cpu');
    const [micros] = (await once(child, 'message')) as [number];
    return micros;
  };
  return {
    variant,
    async measure(): Promise<number> {
      const before = await cpu();
      await load(port);
      return ((await cpu()) - before) / REQUESTS;
    },
    stop: () => child.kill(),
  };
}

async function load(port: number): Promise<void> {
  let left = REQUESTS;
  const worker = async () => {
    while (left-- > 0) await get(port);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function get(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/api/v1/streams?include_public=true', agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
}
