import { createRequire } from 'node:module';
import type { Logger as Pino } from 'pino';
import { lazy } from './lazy.ts';
import { toPlainError } from './plain-error.ts';

const require = createRequire(import.meta.url);
const library = lazy(() => require('pino') as typeof import('pino'));

export type Logger = Pick<Pino, 'debug' | 'info' | 'warn' | 'error'>;

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
  return destination ? pino(options, destination) : pino(options);
}
