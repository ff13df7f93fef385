// The SQL that the tests ran on each database, for `scripts/test.mjs` to compare: PostgreSQL and the embedded database are
// of different versions, so each statement has to run on both.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OnStatement } from '@parley/db';
import { onPostgres } from './database.ts';

const folder = process.env.SEEN_STATEMENTS_FOLDER;
const seen = new Set<string>();

/** Writes each statement down once, without the length of its lists. */
export const seeStatement: OnStatement = (text) => {
  if (folder === undefined || seen.has(text)) return;
  seen.add(text);
  const shape = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\$\d+/g, '$')
    .replaceAll(/(\([$,: a-z[\]]*\)|\$)(, \1)+/g, '$1…')
    .replaceAll(/\d+/g, '0');
  if (seen.has(shape)) return;
  seen.add(shape);
  appendFileSync(join(folder, `${onPostgres ? 'postgres' : 'embedded'}-${process.pid}`), `${JSON.stringify(shape)}\n`);
};
