import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';
import { SharedTurns, type TurnOptions } from './shared-turns.ts';
import { TransactionTurns } from './transaction-turns.ts';

const MINUTE = 60_000;

/** Slots for this many requests, five by default. */
function openQueue(running = 5) {
  const queue = new FairQueue({ running, waiting: 100, errorMessage: 'Too much.' });
  return { queue, enter: (account: string) => queue.enter({ lane: account }) };
}

/** Turns of which the first, in the lane `kitchen`, hangs; others that are run, and the groups that began. */
async function hangInKitchen(wait = MINUTE) {
  const turns = new SharedTurns<string, string>(new TransactionTurns({ wait, turn: MINUTE }));
  const groups: string[][] = [];
  let end = () => {};
  const hang = () =>
    new Promise<PromiseFulfilledResult<string>[]>((resolve) => {
      end = () => resolve([{ status: 'fulfilled', value: 'at last' }]);
    });
  const first = turns.run('kitchen', 'hangs', hang);
  await expect.poll(() => turns.waiting).toBe(0);
  const runAll = async (requests: readonly string[]): Promise<PromiseSettledResult<string>[]> => {
    groups.push([...requests]);
    return requests.map((request) =>
      request.startsWith('bad')
        ? { status: 'rejected', reason: new Error(`No ${request}.`) }
        : { status: 'fulfilled', value: `${request} done` },
    );
  };
  const run = (lane: string, name: string, options: TurnOptions = {}) => turns.run(lane, name, runAll, options);
  return { turns, first, end: () => end(), run, groups };
}

test('requests that wait for a turn of their lane share it, in their order, and each has its own result', async () => {
  const { turns, first, end, run, groups } = await hangInKitchen();
  const names = ['ada', 'bad ben', 'cleo'];
  const results = Promise.allSettled(names.map((name) => run('kitchen', name)));
  expect(await run('garden', 'dan')).toBe('dan done');
  expect([turns.running, turns.waiting]).toEqual([1, 3]);
  end();
  expect(await first).toBe('at last');
  expect(await results).toEqual([
    { status: 'fulfilled', value: 'ada done' },
    { status: 'rejected', reason: new Error('No bad ben.') },
    { status: 'fulfilled', value: 'cleo done' },
  ]);
  expect(groups).toEqual([['dan'], names]);
  expect([turns.running, turns.waiting]).toEqual([0, 0]);
});

test('at most 20 requests share a turn, and the others share the next ones', async () => {
  const { turns, end, run, groups } = await hangInKitchen();
  const names = Array.from({ length: 70 }, (_, n) => `request ${n}`);
  const results = Promise.all(names.map((name) => run('kitchen', name)));
  expect(turns.waiting).toBe(70);
  end();
  expect(await results).toEqual(names.map((name) => `${name} done`));
  expect(groups.map(({ length }) => length)).toEqual([20, 20, 20, 10]);
  expect(groups.flat()).toEqual(names);
  expect([turns.running, turns.waiting]).toEqual([0, 0]);
});

test('requests with at most 65,536 characters together share a turn, and none overtakes one that has no room', async () => {
  const { end, run, groups } = await hangInKitchen();
  const results = Promise.all(
    [30_000, 30_000, 10_000, 1, 70_000, 2].map((characters) => run('kitchen', `${characters}`, { characters })),
  );
  end();
  await results;
  expect(groups).toEqual([['30000', '30000'], ['10000', '1'], ['70000'], ['2']]);
});

describe('of the requests that wait for a turn', () => {
  test('the first keeps its slot, and others give theirs away, one of each account', async () => {
    const { end, run, first } = await hangInKitchen();
    const { queue, enter } = openQueue();
    const accounts = ['ada', 'ben', 'cleo', 'ben', 'ada'];
    const slots = await Promise.all(accounts.map(enter));
    const results = slots.map((slot, n) => run('kitchen', `request ${n}`, { slot }));
    expect(queue.running).toBe(3);
    // Two that had waited for a slot begin.
    const others = await Promise.all(['dan', 'eve'].map(enter));
    expect(queue.running).toBe(5);
    for (const slot of others) slot.release();
    end();
    await Promise.all([first, ...results]);
    for (const slot of slots) slot.release();
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });

  test('those for which the next one has no room keep their slots, and none waits for them to begin', async () => {
    const { turns, end, run, first } = await hangInKitchen();
    const { queue, enter } = openQueue(40);
    const slots = await Promise.all(Array.from({ length: 40 }, (_, n) => enter(`account ${n}`)));
    const results = slots.map((slot, n) => run('kitchen', `request ${n}`, { slot }));
    expect([queue.running, turns.waiting]).toEqual([21, 40]);
    end();
    await Promise.all([first, ...results]);
    for (const slot of slots) slot.release();
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });
});

test('requests that have waited too long fail with SERVICE_UNAVAILABLE and never begin, and later ones do', async () => {
  const { turns, first, end, run, groups } = await hangInKitchen(50);
  for (const result of await Promise.allSettled([run('kitchen', 'late'), run('kitchen', 'later')]))
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } });
  expect(turns.waiting).toBe(0);
  end();
  await first;
  expect(await run('kitchen', 'next')).toBe('next done');
  expect(groups).toEqual([['next']]);
});

test('requests for which a turn had no room fail with it if it does not come in time, and later ones do not', async () => {
  const { turns, first, end, run, groups } = await hangInKitchen(50);
  const results = await Promise.allSettled(Array.from({ length: 21 }, (_, n) => run('kitchen', `request ${n}`)));
  for (const result of results) expect(result).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } });
  expect(turns.waiting).toBe(0);
  end();
  await first;
  expect(await run('kitchen', 'next')).toBe('next done');
  expect(groups).toEqual([['next']]);
});

test('if a turn fails as a whole, each of its requests fails', async () => {
  const { turns, end } = await hangInKitchen();
  const fail = () => Promise.reject(new Error('Nothing works.'));
  const results = Promise.allSettled(['ada', 'ben'].map((name) => turns.run('kitchen', name, fail)));
  end();
  for (const result of await results) expect(result).toMatchObject({ reason: { message: 'Nothing works.' } });
  expect([turns.running, turns.waiting]).toEqual([0, 0]);
});
