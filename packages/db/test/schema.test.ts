import { readdirSync, readFileSync } from 'node:fs';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { expect, test } from 'vitest';
import * as schema from '../src/schema/index.ts';

test('the migrations create exactly the tables that the code uses', async () => {
  const meta = new URL('../migrations/meta/', import.meta.url);
  const latest = readdirSync(meta)
    .filter((file) => file.endsWith('_snapshot.json'))
    .sort()
    .at(-1);
  const snapshot = JSON.parse(readFileSync(new URL(latest ?? '', meta), 'utf8'));
  const missing = await generateMigration(snapshot, generateDrizzleJson(schema));
  expect(missing).toEqual([]);
});
