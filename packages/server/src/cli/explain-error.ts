import { DirectoryInUse } from '@parley/db';
import { toPlainError } from '../core/plain-error.ts';
import { StartError } from '../start-error.ts';

/** The error message of a failed command. */
export function explainError(error: unknown): string {
  if (error instanceof DirectoryInUse) {
    return `${error.message} Stop it first, set PARLEY_DATA_DIR to another directory, or set DATABASE_URL: PostgreSQL serves any number of processes.`;
  }
  if (error instanceof StartError) return error.message;
  const { type, message, stack } = toPlainError(error);
  return [`${type}: ${message}`, ...(stack === undefined ? [] : [stack])].join('\n');
}
