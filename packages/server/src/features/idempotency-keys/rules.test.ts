import { expect, test } from 'vitest';
import { computeRequestFingerprint, listFingerprints } from './fingerprint.ts';
import { isKey } from './rules.ts';

test.each([
  ['a', true],
  ['0b5a3d5e-8a6c-4b0e-9d8e-2f6f1f3d7c55', true],
  ['!~', true],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
  ['', false],
  ['two words', false],
  ['ümlaut', false],
])('%j as a key: %s', (key, is) => expect(isKey(key)).toBe(is));

const SECRET = 'a secret of this test';
const soup = computeRequestFingerprint(SECRET, 'sendMessage', { to: 'general', content: 'soup' });

test('a request is the same with its parameters in any order', () => {
  expect(computeRequestFingerprint(SECRET, 'sendMessage', { content: 'soup', to: 'general' })).toBe(soup);
});

test.each([
  ['another value', 'sendMessage', { to: 'general', content: 'Soup' }],
  ['another parameter', 'sendMessage', { to: 'general', content: 'soup', topic: 'lunch' }],
  ['another operation', 'updateMessage', { to: 'general', content: 'soup' }],
])('with %s it is another request', (_what, operation, params) =>
  expect(computeRequestFingerprint(SECRET, operation, params)).not.toBe(soup),
);

test('a request fingerprinted with the previous secret is recognized while that secret is configured', () => {
  const params = { to: 'general', content: 'soup' };
  const secrets = { current: 'the secret after it', previous: SECRET };
  expect(listFingerprints({ current: SECRET }, 'sendMessage', params)).toEqual([soup]);
  expect(listFingerprints(secrets, 'sendMessage', params)).toEqual([expect.not.stringMatching(soup), soup]);
});

test('a file is compared by its bytes and its name', () => {
  const upload = (bytes: number[], name = 'a') =>
    computeRequestFingerprint(SECRET, 'uploadCustomEmoji', { file: { bytes: new Uint8Array(bytes), name } });
  expect(upload([1, 2])).toBe(upload([1, 2]));
  expect(upload([1, 2])).not.toBe(upload([2, 1]));
  expect(upload([1, 2])).not.toBe(upload([1, 2], 'b'));
});
