import { expect, test } from 'vitest';
import { generateSecret, hasChecksum, hashToken, listHashes, readToken } from './secret.ts';

test('secrets are random, and scanners recognize them by prefix and checksum', () => {
  const secrets = Array.from({ length: 200 }, generateSecret);
  expect(new Set(secrets).size).toBe(secrets.length);
  for (const secret of secrets) {
    expect(secret).toMatch(/^parley_[0-9A-Za-z]{36}$/);
    expect(hasChecksum(secret)).toBe(true);
    const typo = secret.replace(/(.)$/, (last) => (last === 'a' ? 'b' : 'a'));
    expect(hasChecksum(typo)).toBe(false);
  }
  // Other tools compute the same checksum: CRC-32 of the 30 characters, in base 62 (this one is of Python's zlib).
  expect(hasChecksum('parley_0000000000000000000000000000002C8GjS')).toBe(true);
});

test('the hash depends on the token and on the secret of the server', () => {
  const hashes = [hashToken('one', 'a'), hashToken('one', 'b'), hashToken('two', 'a')];
  expect(new Set(hashes).size).toBe(3);
  expect(listHashes({ current: 'one' }, 'a')).toEqual({ hash: hashes[0], former: hashes[0] });
  expect(listHashes({ current: 'one', previous: 'two' }, 'a')).toEqual({ hash: hashes[0], former: hashes[2] });
});

test.each([
  ['Bearer abc', 'abc'],
  ['  bEaReR   abc ', 'abc'],
  ['Bearer', undefined],
  ['Bearer a b', undefined],
  ['Basic abc', undefined],
  ['Bearerabc', undefined],
  [undefined, undefined],
])('the token of %s is %s', (header, token) => {
  expect(readToken(header)).toBe(token);
});
