import { expect, test } from 'vitest';
import { deriveApiKey, findSecretOfKey } from './keys.ts';

const SECRET = 'a secret of at least thirty-two characters';
const OTHER = 'another secret of at least thirty-two';
const realm = { id: 1, key_salt: 'salt' };
const ada = { id: 7, key_version: 1 };

test.each([
  ['secret', deriveApiKey(OTHER, realm, ada)],
  ['organization', deriveApiKey(SECRET, { ...realm, id: 2 }, ada)],
  ['salt of the organization', deriveApiKey(SECRET, { ...realm, key_salt: 'another' }, ada)],
  ['account', deriveApiKey(SECRET, realm, { ...ada, id: 8 })],
  ['version', deriveApiKey(SECRET, realm, { ...ada, key_version: 2 })],
])('another %s derives another API key', (_what, other) => {
  const key = deriveApiKey(SECRET, realm, ada);
  expect(key).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(other).not.toBe(key);
  expect(findSecretOfKey({ current: SECRET }, realm, ada, other)).toBeUndefined();
});

test('a key made with the previous secret is valid while that secret is configured', () => {
  const key = deriveApiKey(SECRET, realm, ada);
  expect(findSecretOfKey({ current: SECRET }, realm, ada, key)).toBe('current');
  expect(findSecretOfKey({ current: OTHER, previous: SECRET }, realm, ada, key)).toBe('previous');
  expect(findSecretOfKey({ current: SECRET, previous: OTHER }, realm, ada, key)).toBe('current');
  expect(findSecretOfKey({ current: OTHER }, realm, ada, key)).toBeUndefined();
});

test('a key that was derived before is not taken for one that derives from something else', () => {
  const first = deriveApiKey(SECRET, realm, ada);
  expect(deriveApiKey(SECRET, { ...realm, key_salt: 'another' }, ada)).not.toBe(first);
  expect(deriveApiKey(SECRET, realm, { ...ada, key_version: 2 })).not.toBe(first);
  expect(deriveApiKey(SECRET, realm, ada)).toBe(first);
});
