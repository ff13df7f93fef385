import { expect, test } from 'vitest';
import { TransactionTurns } from './transaction-turns.ts';

const MINUTE = 60_000;

/** A transaction that hangs in the lane `kitchen`, others that are run, and the names of those that began, in their order. */
function hangIn(turns: TransactionTurns) {
  let end = () => {};
  const hanging = turns.run('kitchen', () => new Promise<void>((resolve) => (end = resolve)));
  const began: string[] = [];
  const run = (lane: string, name: string) => turns.run(lane, async () => void began.push(name));
  return { hanging, end: () => end(), run, began };
}

test('transactions of one lane run one after another, in their order, and other lanes do not wait', async () => {
  const { end, run, began } = hangIn(new TransactionTurns({ wait: MINUTE, turn: MINUTE }));
  const runs = [run('kitchen', 'first'), run('kitchen', 'second')];
  await run('garden', 'garden');
  expect(began).toEqual(['garden']);
  end();
  await Promise.all(runs);
  expect(began).toEqual(['garden', 'first', 'second']);
});

test('a transaction that has waited too long fails with SERVICE_UNAVAILABLE and never begins, and the next one runs', async () => {
  const { hanging, end, run, began } = hangIn(new TransactionTurns({ wait: 50, turn: MINUTE }));
  await expect(run('kitchen', 'late')).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    extras: { 'retry-after': expect.any(Number) },
  });
  end();
  await hanging;
  await run('kitchen', 'next');
  expect(began).toEqual(['next']);
});

test('a transaction that hangs loses its turn, and gives no other one away when it ends', async () => {
  const turns = new TransactionTurns({ wait: MINUTE, turn: 50 });
  const { hanging, end, run, began } = hangIn(turns);
  await run('kitchen', 'next');
  expect(began).toEqual(['next']);
  end();
  await hanging;
  expect([turns.running, turns.waiting]).toEqual([0, 0]);
});

test('a transaction that fails ends its turn', async () => {
  const turns = new TransactionTurns({ wait: MINUTE, turn: MINUTE });
  await expect(turns.run('kitchen', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(turns.running).toBe(0);
});
