import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Secrets } from '../../core/secrets.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The format that secret scanners look for, with the checksum at the end: `parley_[0-9A-Za-z]{36}`. */
const PREFIX = 'parley_';
const LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** Random letters and digits: 178 bits. */
export const generateRandomText = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** A new secret of a token. */
export function generateSecret(): string {
  const random = generateRandomText();
  return `${PREFIX}${random}${computeChecksum(random)}`;
}

/** Whether a text is a token; scanners need no server for it. */
export function hasChecksum(secret: string): boolean {
  const random = secret.slice(PREFIX.length, PREFIX.length + LENGTH);
  return secret === `${PREFIX}${random}${computeChecksum(random)}`;
}

function computeChecksum(random: string): string {
  let rest = crc32(random);
  let checksum = '';
  while (checksum.length < CHECKSUM_LENGTH) {
    checksum = `${ALPHABET[rest % ALPHABET.length]}${checksum}`;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return checksum;
}

/** The token of an `Authorization` header; undefined: the header has none. */
export function readToken(header: string | undefined): string | undefined {
  return /^\s*bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1];
}

/**
 * The hash that the database stores of a token: reading or writing the database suffices neither to use a token nor to
 * make one.
 */
export const hashToken = (secret: string, token: string): string =>
  createHmac('sha256', secret).update(`token:${token}`).digest('base64url');

/** Hashes with the present secret, and with the previous one while it is valid. */
export function listHashes({ current, previous = current }: Secrets, token: string): { hash: string; former: string } {
  return { hash: hashToken(current, token), former: hashToken(previous, token) };
}
