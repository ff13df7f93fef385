// Responses that a client has already: it sends the entity tag of the one that it has in `If-None-Match`, and gets a 304 without a body.
import { hash } from 'node:crypto';
import { PreserializedList } from '../core/preserialized-json.ts';

/** The entity tag of a response body. A list that was serialized before is neither serialized nor hashed for it. */
export function toEntityTag(body: object): string {
  const parts = Object.entries(body).map(([name, value]) => [
    name,
    value instanceof PreserializedList ? value.version : value,
  ]);
  return `"${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, TAG_LENGTH)}"`;
}

const TAG_LENGTH = 22;

/** Whether the header names the entity tag. A proxy that compresses responses makes weak tags of strong ones. */
export function isKnownTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}
