import { expect, test } from 'vitest';
import { SharedTurns } from './shared-turns.ts';
import { TransactionTurns } from './transaction-turns.ts';

const MINUTE = 60_000;

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
  const run = (lane: string, name: string) =>
    turns.run(lane, name, async (requests) => {
      groups.push([...requests]);
      return requests.map((request) =>
        request.startsWith('bad')
          ? { status: 'rejected', reason: new Error(`No ${request}.`) }
          : { status: 'fulfilled', value: `${request} done` },
      );
    });
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

test('at most eight requests share a turn', async () => {
  const { turns, end, run, groups } = await hangInKitchen();
  const names = Array.from({ length: 19 }, (_, n) => `request ${n}`);
  const results = Promise.all(names.map((name) => run('kitchen', name)));
  expect(turns.waiting).toBe(19);
  end();
  await results;
  expect(groups.map(({ length }) => length)).toEqual([8, 8, 3]);
  expect(groups.flat()).toEqual(names);
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

test('if a turn fails as a whole, each of its requests fails', async () => {
  const { turns, end } = await hangInKitchen();
  const fail = () => Promise.reject(new Error('Nothing works.'));
  const results = Promise.allSettled(['ada', 'ben'].map((name) => turns.run('kitchen', name, fail)));
  end();
  for (const result of await results) expect(result).toMatchObject({ reason: { message: 'Nothing works.' } });
  expect([turns.running, turns.waiting]).toEqual([0, 0]);
});
