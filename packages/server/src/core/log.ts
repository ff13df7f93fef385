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
 * Lines are buffered up to so many bytes, or so many milliseconds: a system call for each line took a third of a small
 * request. The rest is written when the process ends, unless it is killed. If no program reads the output, lines are
 * dropped.
 */
const BUFFER = { minLength: 8_192, periodicFlush: 100, maxLength: 8 * 1024 * 1024 };

const nothing = (): void => {};
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * Writes one JSON line per entry to standard output. Entries contain ids and codes, and never content, keys or query
 * strings; errors are in the form of `toPlainError`.
 */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  if (level === 'silent') return silent;
  const { pino } = library();
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: toPlainError } };
  return pino(options, destination ?? pino.destination({ dest: 1, sync: false, ...BUFFER }));
}
