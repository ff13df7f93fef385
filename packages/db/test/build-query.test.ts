import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../server/test/database.ts';
import { type Db, rows, tables } from '../src/index.ts';
import { buildQuery } from '../src/prepared/build-query.ts';
import { LONGEST } from '../src/prepared/longest.ts';
import { PARAM, ShapeTree } from '../src/prepared/shape.ts';
import { sql } from '../src/sql.ts';

const { realms } = tables;
let statements: string[] = [];
let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase((text) => void statements.push(text));
});
afterAll(() => database.close());

const id = sql`${7}::bigint`;
const words = ['a', "b'c"];
/** An encoder, as columns have them. */
const doubled = { mapToDriverValue: (value: number) => value * 2 };

describe('buildQuery builds what Drizzle builds', () => {
  const cases: Record<string, SQL> = {
    text: sql`select 1 as n`,
    parameters: sql`select ${1}::int as n, ${'text'}::text as t, ${true}::boolean as b`,
    null: sql`select ${null}::int as n`,
    'what is left out': sql`select 1 ${undefined} as n`,
    'SQL within SQL': sql`select ${id} as n, ${sql`${id} + ${1}::int`} as m`,
    'raw and empty SQL': sql`select ${sql.raw('1 as n')}${sql.empty()}`,
    'joined SQL': sql`select ${sql.join([sql`${1}::int as a`, sql`${2}::int as b`], sql`, `)}`,
    'SQL that was appended to': sql`select `.append(sql`${3}::int as n`),
    'a list as one parameter': sql`select ${sql.param(words)}::text[] as w`,
    'a parameter of null': sql`select ${sql.param(null)}::bigint[] as w`,
    'a parameter with an encoder': sql`select ${sql.param(21, doubled)}::int as n`,
    'JSON as text': sql`select ${JSON.stringify({ a: [1, null] })}::jsonb as j`,
  };
  for (const [name, query] of Object.entries(cases)) {
    test(name, async () => {
      const { sql: text, params } = new PgDialect().sqlToQuery(query);
      expect(buildQuery(query)).toEqual({ sql: text, params });
      const { rows: found } = (await database.db.execute(query)) as unknown as { rows: unknown[] };
      expect(await rows(database.db, query)).toEqual(found);
    });
  }
});

describe('the text of a statement with the same parts as an earlier one', () => {
  const select = (a: number, b: string | undefined, rest?: SQL): SQL => sql`select ${a}::int as a, ${b} as b ${rest}`;

  test('has the parameters of this one', () => {
    const text = 'select $1::int as a, $2 as b ';
    expect(buildQuery(select(1, 'one'))).toEqual({ sql: text, params: [1, 'one'] });
    expect(buildQuery(select(2, 'two'))).toEqual({ sql: text, params: [2, 'two'] });
  });

  test('is another one where something is left out, or follows', () => {
    expect(buildQuery(select(1, undefined))?.sql).toBe('select $1::int as a,  as b ');
    expect(buildQuery(select(1, 'one', sql`limit ${3}`))?.sql).toBe('select $1::int as a, $2 as b limit $3');
    expect(buildQuery(select(1, undefined, sql`limit ${3}`))?.sql).toBe('select $1::int as a,  as b limit $2');
    expect(buildQuery(select(1, 'one'))?.sql).toBe('select $1::int as a, $2 as b ');
  });

  test('is not confused with a text that a parameter contains', () => {
    expect(buildQuery(sql`select ${'$1'}${sql` as n`}`)).toEqual({ sql: 'select $1 as n', params: ['$1'] });
    expect(buildQuery(sql`select ${sql.raw('$1')}${sql` as n`}`)).toEqual({ sql: 'select $1 as n', params: [] });
  });

  test('is correct for a statement that is too long to be stored', () => {
    const list = (count: number): SQL =>
      sql.join(
        Array.from({ length: count }, (_, n) => sql`${n}::int`),
        sql`, `,
      );
    for (const count of [LONGEST / 4, 3, LONGEST / 4]) {
      const built = buildQuery(sql`select array[${list(count)}] as many`);
      expect(built?.params).toHaveLength(count);
      expect(built?.sql.endsWith(`, $${count}::int] as many`)).toBe(true);
    }
  });

  test('is correct after more statements than are stored', () => {
    const query = () => buildQuery(select(1, 'one'));
    const before = query();
    for (let n = 0; n < 100_001; n++) buildQuery(sql`select ${sql.raw(`value_${n}`)}`);
    expect(query()).toEqual(before);
    expect(query()).toEqual(before);
  });

  test.each([
    ['nodes', { nodes: 10, characters: 1_000_000 }],
    ['characters', { nodes: 1_000_000, characters: 100 }],
  ])('takes limited memory: at so many %s, all are forgotten', (_name, limits) => {
    const tree = new ShapeTree(limits);
    for (let n = 0; n < 1_000; n++) {
      expect(tree.begin().with('select ').with(PARAM).with(` as value_${n}`).text).toBe(`select $1 as value_${n}`);
      expect(tree.nodes).toBeLessThan(13);
    }
  });
});

describe('buildQuery leaves to Drizzle', () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  const cases: Record<string, SQL> = {
    columns: sql`select ${realms.id} from realms`,
    tables: sql`select id from ${realms}`,
    identifiers: sql`select 1 as ${sql.identifier('a "name"')}`,
    lists: sql`select 1 as n where 1 in ${[1, 2]}`,
    'SQL with its parameters in the text': sql`select ${"it's"} as t`.inlineParams(),
    'a part with its parameters in the text': sql`select ${sql`${1}`.inlineParams()} as n`,
    'an encoder that returns SQL': sql`select ${sql.param(1, { mapToDriverValue: () => sql`1 + 1` })} as n`,
    'values of other classes': sql`select ${at}::timestamptz = ${at.toISOString()}::timestamptz as same`,
    'what a column is called': sql`select ${sql`1`.as('n')} as m from (select 2 as n) x`,
  };
  for (const [name, query] of Object.entries(cases)) {
    test(name, async () => {
      expect(buildQuery(query)).toBeUndefined();
      const { rows: found } = (await database.db.execute(query)) as unknown as { rows: unknown[] };
      expect(await rows(database.db, query)).toEqual(found);
    });
  }

  test('placeholders', () => {
    expect(buildQuery(sql`select ${sql.placeholder('n')}`)).toBeUndefined();
    expect(buildQuery(sql`select ${sql.param(sql.placeholder('n'))}`)).toBeUndefined();
  });
});

test('the values of hand-written SQL are read as Drizzle has them read', async () => {
  // One text is read with one set of parsers for each connection, so each of both has its own.
  const select = (comment: string) =>
    sql.raw(`select /* ${comment} */ timestamptz '2026-01-05 10:00Z' as a, timestamp '2026-01-05 10:00' as b,
    date '2026-01-05' as c, interval '1 day' as d, array[timestamptz '2026-01-05 10:00Z'] as e, array[timestamp '2026-01-05 10:00'] as f,
    array[date '2026-01-05'] as g, array[interval '1 day'] as h, array[1.5] as i, 1.5::numeric as j, 7::bigint as k, array[7::bigint] as l,
    true as m, '{"n":1}'::jsonb as n, null::date as o`);
  expect(buildQuery(select('ours'))).toBeDefined();
  const { rows: theirs } = (await database.db.execute(select('theirs'))) as unknown as { rows: object[] };
  expect(await rows(database.db, select('ours'))).toEqual(theirs);
  expect(theirs[0]).toMatchObject({ a: expect.stringContaining('2026-01-05'), c: '2026-01-05', k: 7, l: [7], o: null });
});

test('hand-written SQL runs in the given transaction, and is logged', async () => {
  statements = [];
  const rolledBack = database.db.transaction(async (tx) => {
    const db = tx as unknown as Db;
    await rows(db, sql`insert into realms (subdomain, created_at) values (${'within'}, now())`);
    expect(await rows(db, sql`select subdomain from realms`)).toEqual([{ subdomain: 'within' }]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await rows(database.db, sql`select subdomain from realms`)).toEqual([]);
  expect(statements).toEqual([
    'insert into realms (subdomain, created_at) values ($1, now())',
    'select subdomain from realms',
    'select subdomain from realms',
  ]);
});

test('an error of hand-written SQL has the same class and cause as one of Drizzle', async () => {
  const query = sql`select 1 / ${0}::int`;
  const [ours, theirs] = await Promise.allSettled([rows(database.db, query), database.db.execute(query)]);
  expect(ours).toMatchObject({ status: 'rejected', reason: { query: 'select 1 / $1::int', params: [0] } });
  expect(theirs).toMatchObject({ status: 'rejected', reason: { query: 'select 1 / $1::int', params: [0] } });
  const causeOf = (result?: PromiseSettledResult<unknown>) =>
    result?.status === 'rejected' && (result.reason as Error & { cause: { code: string } }).cause.code;
  expect(causeOf(ours)).toBe('22012');
  expect(causeOf(theirs)).toBe('22012');
});
