// The calls before an example of the document, each with values of earlier responses.
import type { Recipe } from '@parley/openapi/document';
import { expect } from 'vitest';
import type { Demo } from './demo.ts';

/** Carries out the calls before, and returns their responses. */
export async function carriedOut(demo: Demo, recipes: readonly Recipe[]): Promise<Record<string, unknown>[]> {
  const earlier: Record<string, unknown>[] = [];
  for (const step of recipes) {
    const answer = await demo.call(filledIn(step, earlier));
    expect(answer.body.result, `${JSON.stringify(step)}: ${JSON.stringify(answer.body)}`).toBe('success');
    earlier.push(answer.body);
  }
  return earlier;
}

/** `$given.0.queue_id` in a parameter stands for a value of an earlier response. */
export function filledIn(step: Recipe, earlier: readonly unknown[]): Recipe {
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null) return mapped(value, fill);
    if (typeof value !== 'string') return value;
    if (value.startsWith('$given.')) return answered(value, earlier);
    return value.replaceAll(/\$given[\w.]+/g, (name) => String(answered(name, earlier)));
  };
  const { token } = step;
  return {
    ...step,
    params: mapped(step.params ?? {}, fill),
    ...(token !== undefined && { token: String(fill(token)) }),
  };
}

const answered = (name: string, earlier: readonly unknown[]): unknown =>
  name
    .split('.')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], earlier);

const mapped = (object: object, change: (value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/** The values of a response that later calls use: readers see them where the document has only names. */
export function used(answer: Record<string, unknown>, n: number, steps: readonly Recipe[]): Record<string, unknown> {
  const named = JSON.stringify(steps.map(({ params, token }) => [params, token])).matchAll(
    new RegExp(`"\\$given\\.${n}\\.(\\w+)`, 'g'),
  );
  return Object.fromEntries([...named].map(([, key = '']) => [key, answer[key]]));
}

/** Queue ids, URLs of files and secrets of tokens are random; everything else about the demo organization is not. */
export const withoutChance = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'a random id')
      .replaceAll(/temporary\/[\w-]+/g, 'temporary/a token')
      .replaceAll(/parley_(client_[0-9A-Za-z]{30}|[0-9A-Za-z]{36})/g, 'a secret'),
  );
