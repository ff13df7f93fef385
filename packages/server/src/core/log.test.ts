import { spawnSync } from 'node:child_process';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database.ts';
import { createLog } from './log.ts';

describe('the lines of a process', () => {
  test.each([
    ['ends by itself', ''],
    ['exits', 'process.exit(0);'],
    ['fails', 'throw new Error("no");'],
  ])('that %s are all written', (_, ending) => {
    const source = new URL('log.ts', import.meta.url).href;
    const program = `import { createLog } from ${JSON.stringify(source)};
      const log = createLog('info');
      for (let n = 0; n < 3; n++) log.info({ n }, 'line');
      ${ending}`;
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
    const lines = stdout.toString().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).n)).toEqual([0, 1, 2]);
  });
});

test('the log has the reason why a statement failed, without its content', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const cause = Object.assign(new Error('relation "gone" does not exist'), { code: '42P01' });
  log.error({ err: new Error('Failed query: insert … params: my secret words', { cause }) }, 'request failed');
  expect(lines.join()).toContain('relation \\"gone\\" does not exist');
  expect(lines.join()).toContain('42P01');
  expect(lines.join()).not.toContain('my secret words');
});

describe('a statement that fails on the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.close());

  const secret = 'my secret words';
  test.each([
    ['with a value that the database quotes', sql`select ${secret}::text::bigint`, '22P02'],
    ['that names no table', sql`select ${secret}::text from gone`, '42P01'],
    ['that breaks a constraint', sql`insert into rate_limits (key, points) values (${secret}, null)`, '23502'],
    ['that divides by zero', sql`select 1 / 0 where ${secret}::text is not null`, '22012'],
  ])('%s, leaves its code in the log, and neither its text nor its values', async (_, statement, code) => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const error: unknown = await database.db.execute(statement).then(
      () => 'no error',
      (thrown) => thrown,
    );
    log.error({ err: error }, 'request failed');
    log.error({ err: new Error('not done', { cause: error }) }, 'request failed');
    // Likewise if an error lost its cause.
    log.error({ err: new Error((error as Error).message) }, 'request failed');
    expect(lines.join()).toContain(code);
    expect(lines.join()).not.toMatch(/my secret words|select|insert|params/i);
  });
});
