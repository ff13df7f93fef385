import { expect, test } from 'vitest';
import { createTransactionTurns } from './transaction-turns.ts';

/** Work that goes on until it is ended. */
function hanging() {
  let end = () => {};
  const first = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { first, end };
}

test('transactions of one lane run one after another, in their order, and other lanes do not wait', async () => {
  const turns = createTransactionTurns();
  const began: string[] = [];
  const { first, end } = hanging();
  const runs = ['first', 'second', 'third'].map((name) =>
    turns.run('kitchen', async () => {
      began.push(name);
      if (name === 'first') await first;
    }),
  );
  await turns.run('garden', async () => void began.push('garden'));
  expect(began).toEqual(['first', 'garden']);
  end();
  await Promise.all(runs);
  expect(began).toEqual(['first', 'garden', 'second', 'third']);
});

test('a transaction that has waited too long fails with SERVICE_UNAVAILABLE and never begins, and the next one runs', async () => {
  const turns = createTransactionTurns(50);
  const { first, end } = hanging();
  const began: string[] = [];
  const running = turns.run('kitchen', () => first);
  const late = turns.run('kitchen', async () => void began.push('late'));
  await expect(late).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    extras: { 'retry-after': expect.any(Number) },
  });
  end();
  await running;
  await turns.run('kitchen', async () => void began.push('next'));
  expect(began).toEqual(['next']);
});
