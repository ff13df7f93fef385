import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type SealPurpose, seal, unseal } from './sealing.ts';

const SECRET = 'a secret of at least thirty-two characters';
const REALM = { id: 1, key_salt: 'salt' };
const PURPOSES: readonly SealPurpose[] = [
  'email',
  'file_ticket',
  'idempotent_response',
  'sign_in_state',
  'sign_in_arrival',
  'sign_in_grant',
];

test('what is sealed with one secret cannot be read with another, or when it was changed', () => {
  const secrets = { current: SECRET };
  const sealed = seal(secrets, 'email', REALM, 'soup');
  expect(unseal(secrets, 'email', REALM, sealed)).toBe('soup');
  expect(sealed).not.toBe(seal(secrets, 'email', REALM, 'soup'));
  expect(() => unseal({ current: `${SECRET}!` }, 'email', REALM, sealed)).toThrow();
  const bytes = Buffer.from(sealed, 'base64');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  expect(() => unseal(secrets, 'email', REALM, bytes.toString('base64'))).toThrow();
});

test.each([
  ['salt', { ...REALM, key_salt: 'another' }],
  ['id', { ...REALM, id: 2 }],
])('what is sealed for one organization cannot be read for one with another %s', (_what, other) => {
  const sealed = seal({ current: SECRET }, 'email', REALM, 'soup');
  expect(() => unseal({ current: SECRET }, 'email', other, sealed)).toThrow();
});

test('what is sealed with the previous secret can be read while that is given', () => {
  const sealed = seal({ current: SECRET }, 'email', REALM, 'soup');
  expect(unseal({ current: `${SECRET}!`, previous: SECRET }, 'email', REALM, sealed)).toBe('soup');
  expect(unseal({ current: SECRET, previous: `${SECRET}!` }, 'email', REALM, sealed)).toBe('soup');
});

test.each(PURPOSES)('what is sealed as %s cannot be read as anything else', (purpose) => {
  const sealed = seal({ current: SECRET }, purpose, REALM, 'soup');
  expect(unseal({ current: SECRET }, purpose, REALM, sealed)).toBe('soup');
  for (const other of PURPOSES.filter((one) => one !== purpose))
    expect(() => unseal({ current: SECRET }, other, REALM, sealed), other).toThrow();
});

/** A text as servers sealed it when there was one key for all purposes. */
function sealFormerly(secret: string, text: string): string {
  const nonce = randomBytes(12);
  const key = Buffer.from(hkdfSync('sha256', secret, REALM.key_salt, `sealed:${REALM.id}`, 32));
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

test('emails and responses that wait in the database can be read after an upgrade, also with the previous secret', () => {
  const sealed = sealFormerly(SECRET, 'soup');
  for (const purpose of ['email', 'idempotent_response'] as const) {
    expect(unseal({ current: SECRET }, purpose, REALM, sealed)).toBe('soup');
    expect(unseal({ current: `${SECRET}!`, previous: SECRET }, purpose, REALM, sealed)).toBe('soup');
    expect(() => unseal({ current: `${SECRET}!` }, purpose, REALM, sealed)).toThrow();
  }
});

test.each(PURPOSES.filter((purpose) => purpose !== 'email' && purpose !== 'idempotent_response'))(
  'a text of the former key is no %s: those live for minutes',
  (purpose) => {
    expect(() => unseal({ current: SECRET }, purpose, REALM, sealFormerly(SECRET, 'soup'))).toThrow();
  },
);
