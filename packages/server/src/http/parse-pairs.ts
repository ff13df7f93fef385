import { createInvalidError } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';

/**
 * The names and values of a form or a query. They are counted before they are decoded: each costs far more than its
 * bytes.
 */
export function parsePairs(text: string): [string, string][] {
  if (hasTooManyPairs(text)) throw tooManyFieldsError();
  return [...new URLSearchParams(text)];
}

export function hasTooManyPairs(text: string): boolean {
  let count = 1;
  for (let at = text.indexOf('&'); at >= 0 && count <= bounds.fields; at = text.indexOf('&', at + 1)) count++;
  return count > bounds.fields;
}

export const tooManyFieldsError = () => createInvalidError(`A form can have at most ${bounds.fields} fields.`);
