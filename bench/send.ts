// A message costs the same whatever the number of subscribers.
import { costOf } from './harness/costs.ts';
import { addMessages, addStreams, addUsers, type BenchStream, join, settle } from './harness/fill.ts';
import { atMost, equal, type Measurement, shown, TIMES } from './harness/measurement.ts';
import { inTurns, median, pause } from './harness/times.ts';

const FEW = 10;
const ROUNDS = 300;
const WARM_UP = 30;
const COUNTED = 10;
/** Milliseconds between two sends that are counted: so slowly, the server reads the caller of each. */
const IDLE = 100;

export const send: Measurement = {
  name: 'send',
  async run(harness) {
    const organization = await harness.organization();
    const users = await addUsers(organization, harness.size(50_000, 2 * FEW));
    const [sender] = users;
    const [small, big] = await addStreams(organization, 2);
    if (!sender || !small || !big) throw new Error('Nothing to send to.');
    await join(organization, [small], users.slice(0, FEW));
    await join(organization, [big], users);
    for (const stream of [small, big])
      await addMessages(organization, { stream, topic: 'soup', by: [sender], count: 100 });
    await settle(organization);
    const server = await harness.server(organization);
    const one = (stream: BenchStream) =>
      server.request(sender, 'POST /messages', {
        type: 'stream',
        to: stream.id,
        topic: 'soup',
        content: 'Soup is ready.',
      });
    const time = (stream: BenchStream) => async () => (await one(stream)).ms;
    const times = { few: time(small), many: time(big) };
    await inTurns(WARM_UP, times);
    const { few, many } = await inTurns(Math.max(100, harness.size(ROUNDS)), times);
    /** Returns the statements of each: also a job of the server can have some between two sends. */
    const some = async (stream: BenchStream) => {
      const statements: number[] = [];
      for (let n = 0; n < COUNTED; n++) {
        await pause(IDLE);
        const before = await server.statements();
        await one(stream);
        statements.push((await server.statements()) - before);
      }
      return statements;
    };
    const count = async (stream: BenchStream) => {
      let statements: number[] = [];
      const cost = await costOf(organization, server, async () => {
        statements = await some(stream);
      });
      return { ...cost, statements: median(statements) };
    };
    const [cheap, dear] = [await count(small), await count(big)];
    const against = `${shown(users.length)} subscribers against ${FEW}`;
    return [
      atMost({
        compared: `time of a send: ${against}`,
        value: median(many) / median(few),
        limit: 1.1,
        unit: TIMES,
        figures: {
          'ms, few': median(few),
          'ms, many': median(many),
          'WAL bytes, few': cheap.wal / COUNTED,
          'WAL bytes, many': dear.wal / COUNTED,
        },
      }),
      equal(`rows written by a send: ${against}`, [dear.rows / COUNTED, cheap.rows / COUNTED], perSend(dear.tables)),
      equal(`statements of a send: ${against}`, [dear.statements, cheap.statements]),
    ];
  },
};

const perSend = (tables: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows / COUNTED]));
