import type { Rule } from '../../config/index.ts';
import type { RateLimitVerdict } from '../../core/rate-limits.ts';
import type { Window, WindowCount } from './window.ts';

/** A request passes when every window permits it, for each of its keys. */
export interface Bucket {
  /** Counts a request under each of these keys. */
  take(...keys: readonly string[]): Promise<RateLimitVerdict>;
  /** Undoes the counting of a request under each of these keys. */
  release(...keys: readonly string[]): void;
  tidy(): void;
}

/** `windows` from the smallest to the largest; at least one. */
export function createBucket(
  rules: readonly Rule[],
  windowOf: (rule: Rule) => Window,
  clock: () => Date,
): Bucket | undefined {
  const windows = rules.map(windowOf);
  if (windows.length === 0) return undefined;
  return {
    async take(...keys) {
      const counted = windows.flatMap((window) => keys.map((key) => ({ window, key })));
      const takes = await Promise.all(counted.map(({ window, key }) => window.take(key)));
      const isRejected = takes.some(({ granted }) => !granted);
      // A rejected request is not counted anywhere.
      for (const [n, { window, key }] of counted.entries()) if (isRejected && takes[n]?.granted) window.release(key);
      return verdict(windows, takes, clock());
    },
    release(...keys) {
      for (const window of windows) for (const key of keys) window.release(key);
    },
    tidy() {
      for (const window of windows) window.tidy();
    },
  };
}

function verdict(windows: readonly Window[], takes: readonly WindowCount[], now: Date): RateLimitVerdict {
  const errorResponses = takes.filter(({ granted }) => !granted);
  const latest = Math.max(...errorResponses.map(({ reset }) => reset));
  return {
    limit: windows.at(-1)?.rule.count ?? 0,
    remaining: Math.min(...takes.map(({ remaining }) => remaining)),
    reset: takes.at(-1)?.reset ?? 0,
    wait: errorResponses.length > 0 ? Math.max(1, latest - now.getTime()) / 1000 : undefined,
  };
}
