import { createHash, createHmac } from 'node:crypto';
import type { Secrets } from '../../core/secrets.ts';

interface File {
  readonly bytes: Uint8Array;
  readonly name: string;
}

/**
 * The fingerprint of a request with the present secret, and with the previous one, which the first request may have
 * had.
 */
export function listFingerprints(
  { current, previous }: Secrets,
  operation: string,
  params: Readonly<Record<string, unknown>>,
): [string, ...string[]] {
  const former = previous === undefined ? [] : [computeRequestFingerprint(previous, operation, params)];
  return [computeRequestFingerprint(current, operation, params), ...former];
}

/**
 * Identifies a request, whatever the order and the encoding of its parameters. Parameters can contain passwords, so the
 * fingerprint is keyed with the server's secret, against guessing.
 */
export function computeRequestFingerprint(
  secret: string,
  operation: string,
  params: Readonly<Record<string, unknown>>,
): string {
  const sorted = Object.entries(params).sort(([one], [other]) => (one < other ? -1 : 1));
  const short = sorted.map(([name, value]) => [name, isFile(value) ? [value.name, digest(value.bytes)] : value]);
  return createHmac('sha256', secret)
    .update(JSON.stringify([operation, short]))
    .digest('base64');
}

const isFile = (value: unknown): value is File =>
  typeof value === 'object' && value !== null && (value as Partial<File>).bytes instanceof Uint8Array;

const digest = (of: Uint8Array): string => createHash('sha256').update(of).digest('base64');
