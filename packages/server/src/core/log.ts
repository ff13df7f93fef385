import { type Logger, pino } from 'pino';

export type { Logger };

/**
 * One JSON line per entry on standard output. Entries carry ids and codes, never content, keys or query strings: of an
 * error only its innermost cause is told, because what wraps it repeats the parameters of the statement that failed.
 */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: plainError } };
  return destination ? pino(options, destination) : pino(options);
}

function plainError(error: unknown): object {
  if (!(error instanceof Error)) return { message: typeof error };
  if (error.cause instanceof Error) return plainError(error.cause);
  const { name, message, stack, code } = error as Error & { code?: unknown };
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
