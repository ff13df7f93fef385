import { type Logger, pino } from 'pino';

export type { Logger };

/** One JSON line per entry on standard output. Entries carry ids and codes, never content, keys or query strings. */
export function createLog(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
}
