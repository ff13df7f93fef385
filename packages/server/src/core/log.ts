import { createRequire } from 'node:module';
import type { Logger as Pino } from 'pino';
import { lazy } from './lazy.ts';

const require = createRequire(import.meta.url);
const library = lazy(() => require('pino') as typeof import('pino'));

export type Logger = Pick<Pino, 'debug' | 'info' | 'warn' | 'error'>;

const nothing = (): void => {};
const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/**
 * One JSON line per entry on standard output. Entries carry ids and codes, never content, keys or query strings: of an
 * error only its innermost cause is told, because what wraps it repeats the parameters of the statement that failed.
 */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  if (level === 'silent') return silent;
  const { pino } = library();
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: plainError } };
  return destination ? pino(options, destination) : pino(options);
}

function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: typeof error };
  if (error.cause instanceof Error) return plainError(error.cause);
  const { name, message, stack, code } = error as Error & { code?: unknown };
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
