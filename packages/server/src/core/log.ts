import { createRequire } from 'node:module';
import type { Logger as Pino } from 'pino';
import { lazy } from './lazy.ts';
import { toPlainError } from './plain-error.ts';

const require = createRequire(import.meta.url);
const library = lazy(() => require('pino') as typeof import('pino'));

export type Logger = Pick<Pino, 'debug' | 'info' | 'warn' | 'error'>;

export interface Logging {
  readonly log: Logger;
}

/**
 * Lines wait until there are so many bytes of them, or so many milliseconds: a system call for each line was a third of what a small
 * request costs. The rest is written when the process ends, except when it is killed. If nothing reads them, lines are dropped.
 */
const BUFFER = { minLength: 8_192, periodicFlush: 100, maxLength: 8 * 1024 * 1024 };

const nothing = (): void => {};
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * One JSON line per entry on standard output. Entries carry ids and codes, never content, keys or query strings; errors as
 * `toPlainError` has them.
 */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  if (level === 'silent') return silent;
  const { pino } = library();
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: toPlainError } };
  return pino(options, destination ?? pino.destination({ dest: 1, sync: false, ...BUFFER }));
}
