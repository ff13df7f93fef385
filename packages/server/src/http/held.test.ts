import { expect, test } from 'vitest';
import { Held } from './held.ts';

const [ada, ben, far] = [
  { realm_id: 1, id: 1 },
  { realm_id: 1, id: 2 },
  { realm_id: 2, id: 1 },
] as const;

test('nobody has more than their part, all together not more than there is, and what is given back is there again', () => {
  const held = new Held({ all: 5, each: 2 });
  expect([held.take(ada, 2), held.take(ada, 1)]).toEqual([undefined, 'each']);
  expect([held.take(ben, 2), held.take(far, 2), held.take(far, 1)]).toEqual([undefined, 'all', undefined]);
  held.giveBack(ada, 1);
  expect([held.take(far, 2), held.take(far, 1), held.take(ada, 1)]).toEqual(['each', undefined, 'all']);
});
