// The cost of validating every request and response against the document: CPU time of the server per request, Express
// alone and Express with decoder and validator, in turns.
import { Agent, request } from 'node:http';
import { startChild } from './harness/child.ts';
import type { Harness } from './harness/harness.ts';
import { atMost, type Measurement, TIMES } from './harness/measurement.ts';
import { inTurns, median } from './harness/times.ts';

const ROUNDS = 5;
const REQUESTS = 3000;
const AT_ONCE = 16;

export const validation: Measurement = {
  name: 'validation',
  async run(harness) {
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    harness.atEnd(() => agent.destroy());
    const requests = harness.size(REQUESTS, 300);
    const ways = {
      bare: await serve(harness, agent, 'bare', requests),
      checked: await serve(harness, agent, 'checked', requests),
    };
    // The first round loads the validators.
    await inTurns(1, ways);
    const { bare, checked } = await inTurns(ROUNDS, ways);
    return [
      atMost({
        compared: 'CPU of a request that is decoded and checked, and its response too, against Express alone',
        value: median(checked) / median(bare),
        limit: 2,
        unit: TIMES,
        figures: { 'µs, checked': median(checked), 'µs, Express alone': median(bare) },
      }),
    ];
  },
};

/** Microseconds of CPU time for each request to one of the two. */
async function serve(
  harness: Harness,
  agent: Agent,
  variant: 'bare' | 'checked',
  requests: number,
): Promise<() => Promise<number>> {
  const child = await startChild('validation-process.ts', { variant });
  harness.atEnd(() => child.stop());
  const port = await child.call<number>('port');
  return async () => {
    const before = await child.call<number>('cpu');
    let left = requests;
    const worker = async () => {
      while (left-- > 0) await get(agent, port);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return ((await child.call<number>('cpu')) - before) / requests;
  };
}

function get(agent: Agent, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/api/v1/streams?include_public=true', agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
}
