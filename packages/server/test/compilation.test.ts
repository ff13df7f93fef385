// PostgreSQL compiles statements that it expects to be costly, which takes longer than any statement of the server.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { expect, test } from 'vitest';
import { freshDatabase } from './database.ts';

test('no statement is compiled, whatever cost the database expects', async () => {
  const database = await freshDatabase();
  const plan = await rows<{ 'QUERY PLAN': string }>(
    database.db,
    sql`explain select sum(a * b) from generate_series(1, 100000) a, generate_series(1, 100000) b where a <> b`,
  );
  await database.close();
  const text = plan.map((line) => line['QUERY PLAN']).join('\n');
  expect(Number(/cost=[\d.]+\.\.([\d.]+)/.exec(text)?.[1])).toBeGreaterThan(500_000);
  expect(text).not.toContain('JIT');
});
