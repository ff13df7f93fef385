// Subscribing many users takes as many statements as subscribing two.
import { costOf } from './harness/costs.ts';
import { addStreams, addUsers, type BenchStream, join, settle } from './harness/fill.ts';
import type { BenchUser } from './harness/http.ts';
import { atMost, type Measurement, shown } from './harness/measurement.ts';

const LIMIT = 15;

export const subscribe: Measurement = {
  name: 'subscribe',
  async run(harness) {
    const organization = await harness.organization();
    const count = harness.size(1000, 20);
    const [warm, reader, other, ...users] = await addUsers(organization, count + 3);
    const [lobby, ...streams] = await addStreams(organization, count + 1);
    if (!warm || !reader || !other || !lobby) throw new Error('There is no user to subscribe.');
    await join(organization, [lobby], [warm]);
    await settle(organization);
    const server = await harness.server(organization);
    let took = 0;
    const bring = async (principals: readonly BenchUser[], to: readonly BenchStream[], who = organization.owner) => {
      const { ms } = await server.request(who, 'POST /users/me/subscriptions', {
        subscriptions: to.map(({ name }) => ({ name })),
        principals: principals.map(({ id }) => id),
      });
      took = ms;
    };
    await bring([warm], streams.slice(0, 2));
    const cost = async (what: string, work: () => Promise<void>) => {
      const { statements, rows, wal } = await costOf(organization, server, work);
      return atMost({
        compared: `statements to subscribe ${what}`,
        value: statements,
        limit: LIMIT,
        unit: '',
        figures: { ms: took, 'rows written': rows, 'WAL bytes': wal },
      });
    };
    return [
      await cost(`oneself to ${shown(count)} streams`, () => bring([reader], streams, reader)),
      await cost(`another user to ${shown(count)} streams`, () => bring([other], streams)),
      await cost(`${shown(count)} users to one stream`, () => bring(users, [lobby])),
    ];
  },
};
