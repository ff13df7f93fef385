// The SQL that the tests ran on each database, for `scripts/test.mjs` to compare: PostgreSQL and the embedded database
// are of different versions; a run lists the statements that ran on one of them only.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OnStatement } from '@parley/db';
import { onPostgres } from './database.ts';
import { toShape } from './sql/shape.ts';

const folder = process.env.SEEN_STATEMENTS_FOLDER;
const seen = new Set<string>();

/** Records each statement of the server once, without the length of its lists. */
export const seeStatement: OnStatement = (text) => {
  if (folder === undefined || seen.has(text)) return;
  seen.add(text);
  if (isOfTest(new Error().stack ?? '')) return;
  const shape = toShape(text);
  if (seen.has(shape)) return;
  seen.add(shape);
  appendFileSync(join(folder, `${onPostgres ? 'postgres' : 'embedded'}-${process.pid}`), `${JSON.stringify(shape)}\n`);
};

/**
 * Whether a test itself ran the statement: the innermost function of this project that waits for it is in a test or in
 * the harness.
 */
function isOfTest(stack: string): boolean {
  const caller = stack.split('\n').find((frame) => /\/packages\/(server|db)\//.test(frame) && !LOGGING.test(frame));
  return caller !== undefined && (!caller.includes('/src/') || caller.includes('.test.ts'));
}

/** Frames between a statement and its caller. */
const LOGGING = /node_modules|seen-statements\.ts|test-server\.ts|db\/src\/connect\.ts|db\/src\/prepared/;
