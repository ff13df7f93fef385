import { expect, test } from 'vitest';
import { ByteQuota, type QuotaOwner, toAccountOwner } from './byte-quota.ts';

const [ada, ben, far] = [
  toAccountOwner({ realm_id: 1, id: 1 }),
  toAccountOwner({ realm_id: 1, id: 2 }),
  toAccountOwner({ realm_id: 2, id: 1 }),
] as const;
const address: QuotaOwner = { kind: 'address', key: 'address 192.0.2.1' };

test('an owner reserves at most its share, all owners at most the limit of the process, and released bytes can be reserved again', () => {
  const quota = new ByteQuota({ process: 5, account: 2, address: 1, guaranteed: 0 });
  expect([quota.reserve(ada, 2), quota.reserve(ada, 1)]).toEqual([undefined, 'account']);
  expect([quota.reserve(ben, 2), quota.reserve(far, 2), quota.reserve(far, 1)]).toEqual([
    undefined,
    'process',
    undefined,
  ]);
  quota.release(ada, 1);
  expect([quota.reserve(far, 2), quota.reserve(far, 1), quota.reserve(ada, 1)]).toEqual([
    'account',
    undefined,
    'process',
  ]);
  quota.release(far, 2);
  expect([quota.reserve(address, 2), quota.reserve(address, 1), quota.total]).toEqual(['address', undefined, 4]);
});

test('the guaranteed bytes of an owner can be reserved whatever others hold', () => {
  const quota = new ByteQuota({ process: 2, account: 2, address: 1, guaranteed: 1 });
  expect([quota.reserve(ada, 2), quota.reserve(ben, 1), quota.reserve(ben, 1)]).toEqual([
    undefined,
    undefined,
    'process',
  ]);
});
