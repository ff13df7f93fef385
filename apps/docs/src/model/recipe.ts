// Recipes: the calls that record the examples of the document. The contract tests make them.
import type { Example } from '@parley/openapi/document';

/** Replaces placeholders: `$given.0.queue_id` in a parameter is a value of the response to an earlier call of the recipe. */
export function fillPlaceholders(value: unknown, responses: readonly (object | undefined)[]): unknown {
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, responses));
  if (typeof value === 'object' && value !== null) return fillParams(value, responses);
  if (typeof value !== 'string' || !value.startsWith('$given.')) return value;
  return value
    .split('.')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], responses);
}

export const fillParams = (params: object, responses: readonly (object | undefined)[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, fillPlaceholders(value, responses)]));

/** The parameters of an example, with the recorded values of the responses to earlier calls. */
export const getSentParams = (example: Example): Record<string, unknown> =>
  fillParams(
    example['x-request']?.params ?? {},
    (example['x-given'] ?? []).map(({ answers }) => answers),
  );
