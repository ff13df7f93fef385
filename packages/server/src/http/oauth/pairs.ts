import { failInvalid } from '../../core/errors.ts';

/** Parameters by name. OAuth allows each once, so that no two programs read different values of it. */
export function toUniquePairs(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (found.has(name)) failInvalid(`${name}: it must be sent once.`);
    if (value.includes('\0')) failInvalid(`${name}: it cannot contain the character U+0000.`);
    // A parameter without a value counts as absent (RFC 6749, 3.1).
    if (value !== '') found.set(name, value);
  }
  return Object.fromEntries(found);
}
