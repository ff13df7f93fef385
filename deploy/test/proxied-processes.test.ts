// Two processes behind the sample configurations of the proxies, with the real servers.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  acknowledgedReach,
  ascending,
  createLedger,
  startSenderThrough,
  storedIds,
} from '../../packages/server/test/faults/ledger.ts';
import { jsonOf } from './https-client.ts';
import { samples, useDeployment } from './proxy-samples.ts';
import { whyNotRun } from './requirements.ts';

const ENOUGH = { timeout: 10_000 };

for (const { part, start, repeatsWrites } of samples) {
  describe.skipIf(whyNotRun(part))(`Parley behind ${part}`, () => {
    const { deployment, get, sendMessage, holdPolls } = useDeployment(start);

    describe('two processes', () => {
      test('polls at both processes receive messages that were sent through one of them', async () => {
        const { polls, held } = await holdPolls(8);
        expect(Math.min(...held)).toBeGreaterThan(0);
        await sendMessage();
        expect(await Promise.all(polls)).toEqual(Array(8).fill(['message']));
      });

      test('when one is killed, reads and polls succeed at the other', async () => {
        const { polls, held } = await holdPolls(8);
        expect(Math.min(...held)).toBeGreaterThan(0);
        const statuses = await whileReading(() => deployment().processes[1].end('SIGKILL'));
        expect(statuses).toEqual(new Set([200]));
        await expect.poll(() => deployment().processes[0].waitingPolls()).toBe(8);
        await sendMessage();
        expect(await Promise.all(polls)).toEqual(Array(8).fill(['message']));
      });

      test.runIf(repeatsWrites)(
        'when one is killed, writes with an Idempotency-Key succeed at the other, once',
        async () => {
          await deployment().restart(1);
          await deployment().api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
          const ledger = createLedger();
          const senders = [1, 2, 3, 4].map((n) => startSenderThrough(deployment().api, `sender ${n}`, ledger));
          for (const { done } of senders) done.catch(() => undefined);
          await expect.poll(() => deployment().processes[1].sendRequests(), ENOUGH).toBeGreaterThan(10);
          await deployment().processes[1].end('SIGKILL');
          await acknowledgedReach(ledger, ledger.acknowledged.length + 40);
          for (const sender of senders) sender.stop();
          await Promise.all(senders.map(({ done }) => done));
          expect([[...ledger.codes], ledger.lost], deployment().proxy.errors()).toEqual([[], []]);
          expect(await storedIds(deployment().api)).toEqual(ascending(ledger.acknowledged));
        },
      );

      test('when one is restarted as for an update, no read fails', async () => {
        await deployment().restart(1);
        const statuses = await whileReading(async () => {
          expect(await deployment().processes[0].end('SIGTERM')).toBe(0);
        });
        expect(statuses).toEqual(new Set([200]));
        await deployment().restart(0);
        await expect.poll(() => usesBoth()).toBe(true);
      });

      test('when both are down, the error has the schema of the API', async () => {
        await Promise.all(deployment().processes.map((process) => process.end('SIGKILL')));
        const reply = await get('/api/v1/users/me');
        expect([502, 503, 504]).toContain(reply.status);
        expect(jsonOf(reply)).toMatchObject({ result: 'error', code: 'INTERNAL_SERVER_ERROR' });
      });

      /** Sends reads by several clients before, during and after `work`; returns the statuses of the responses. */
      async function whileReading(work: () => Promise<unknown>): Promise<Set<number>> {
        const statuses = new Set<number>();
        let isOver = false;
        const read = async () => {
          while (!isOver) statuses.add((await get('/api/v1/users/me')).status);
        };
        const readers = Array.from({ length: 6 }, read);
        await pause(300);
        await work();
        await pause(700);
        isOver = true;
        await Promise.all(readers);
        return statuses;
      }

      /** Whether the proxy forwards requests to both processes: polls at each of them. */
      async function usesBoth(): Promise<boolean> {
        const { polls, held } = await holdPolls(4);
        await sendMessage();
        await Promise.all(polls);
        return Math.min(...held) > 0;
      }
    });
  });
}
