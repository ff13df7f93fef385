// Times and their statistics.

/** The quantile `share` (0.5, 0.99) of the values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const longest = (values: readonly number[]): number => values.reduce((most, one) => Math.max(most, one), 0);

/**
 * Measures variants in turns, so that other load of the machine affects all of them; the order rotates with every
 * round.
 */
export async function inTurns<Name extends string>(
  rounds: number,
  variants: Record<Name, (round: number) => Promise<number>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(variants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) times[name].push(await variants[name](round));
  }
  return times;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** UNIX time in milliseconds with fractions: the same clock in every process of the machine. */
export const clock = (): number => performance.timeOrigin + performance.now();
