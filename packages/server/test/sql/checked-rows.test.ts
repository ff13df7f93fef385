// The comparison that ends a whole run: the rows of each hand-written statement with the type that the sources declare of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { snapshotFile } from '@parley/db';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareRows, type SeenKinds } from './compare-rows.ts';
import { type DeclaredRow, readDeclaredRows } from './declared-rows.ts';
import { StatementDescriber } from './describe-statement.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-rows-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The declared rows of a module that calls `rows` with these types, one call on each line after the first two. */
function declare(...types: string[]): DeclaredRow[] {
  const path = join(folder, 'queries.ts');
  const calls = types.map((type) => `void rows<${type}>();`);
  const lines = [
    'declare function rows<Row>(): Promise<Row[]>;',
    'interface Two { id: number; name?: string }',
    ...calls,
  ];
  writeFileSync(path, lines.join('\n'));
  const options = { strict: true, lib: ['lib.es2023.d.ts'], target: ts.ScriptTarget.ES2023, types: [] };
  return readDeclaredRows(folder, [path], options);
}

describe('the declared type of rows', () => {
  test('is read with its names and kinds of values, by the line of the call', () => {
    const [first, second] = declare('{ id: number; at: Date | null; tags: string[]; bytes: Uint8Array }', 'Two');
    expect(first).toMatchObject({ at: 'queries.ts:3' });
    expect(Object.fromEntries(first?.columns ?? [])).toMatchObject({
      id: { kinds: ['number'], isOptional: false },
      at: { kinds: expect.arrayContaining(['null', 'date']) },
      tags: { kinds: ['array'], elements: ['string'] },
      bytes: { kinds: ['bytes'] },
    });
    expect(second).toMatchObject({ at: 'queries.ts:4' });
    expect(second?.columns?.get('name')).toMatchObject({ isOptional: true });
  });

  test('of several shapes: a column that one of them lacks can be null', () => {
    const [row] = declare('{ n: number } & ({ id: number; text: string } | { id: null })');
    expect(row?.columns?.get('text')).toMatchObject({ kinds: ['string', 'null'], isOptional: true });
    expect(row?.columns?.get('n')).toMatchObject({ kinds: ['number'] });
  });

  test('asserts nothing where it is unknown, and cannot be a parameter of a type', () => {
    expect(declare('unknown')[0]?.columns).toBeUndefined();
    writeFileSync(
      join(folder, 'generic.ts'),
      'declare function rows<Row>(): Promise<Row[]>;\nexport const all = <T>() => rows<T>();',
    );
    expect(() => readDeclaredRows(folder, [join(folder, 'generic.ts')], { types: [] })).toThrow(/generic\.ts:2/);
  });
});

describe('what PostgreSQL says of a statement', () => {
  let describer: StatementDescriber;
  beforeAll(async () => {
    describer = await StatementDescriber.open(snapshotFile());
  });
  afterAll(() => describer.close());

  const nullability = async (text: string) =>
    Object.fromEntries((await describer.describe(text)).map(({ name, isNullable }) => [name, isNullable]));

  test('is the names and types of its columns, without running it', async () => {
    const text = 'delete from messages where id = $1 returning id, moves, content as text, sent_at, count';
    await expect(describer.describe(text)).rejects.toThrow(/count/);
    expect(await describer.describe(text.replace(', count', ''))).toEqual([
      { name: 'id', type: 'bigint', isNullable: false },
      { name: 'moves', type: 'bigint[]', isNullable: false },
      { name: 'text', type: 'text', isNullable: false },
      { name: 'sent_at', type: 'timestamp with time zone', isNullable: false },
    ]);
  });

  test('is whether a column can be null: by its table, by a condition, by the joins', async () => {
    expect(await nullability('select id, topic_id from messages order by id limit $1')).toEqual({
      id: false,
      topic_id: true,
    });
    expect(await nullability('select topic_id from messages where topic_id = any($1::bigint[]) order by id')).toEqual({
      topic_id: false,
    });
    const joined = 'select m.id, t.id as topic, t.name from messages m left join topics t on t.id = m.topic_id';
    expect(await nullability(joined)).toEqual({ id: false, topic: true, name: true });
    expect(await nullability(`${joined} where t.name = $1`)).toEqual({ id: false, topic: false, name: false });
  });

  test('follows columns through other parts of the statement', async () => {
    const deleted =
      'with removed as (delete from messages where id = $1 returning id as message_id, topic_id, sender_id)';
    expect(await nullability(`${deleted} select g.message_id, g.topic_id from removed g`)).toEqual({
      message_id: false,
      topic_id: true,
    });
    const found = `${deleted} select g.sender_id, t.name from removed g left join topics t on t.id = g.topic_id`;
    expect(await nullability(found)).toEqual({ sender_id: false, name: true });
    const outer = `${deleted}, pair as materialized (select u.id, g.sender_id from users u left join removed g on g.sender_id = u.id)`;
    expect(await nullability(`${outer} select id, sender_id from pair`)).toEqual({ id: false, sender_id: true });
  });

  test('leaves open whether an expression can be null', async () => {
    expect(await nullability('select max(id) as newest from messages')).toEqual({ newest: undefined });
  });
});

describe('a declared type fails', () => {
  const compare = (type: string, column: object, seen: SeenKinds = new Map()) => {
    const [row] = declare(type);
    return compareRows(row as DeclaredRow, [{ name: 'id', type: 'bigint', isNullable: false, ...column }], seen);
  };

  test.each([
    ['with another name', '{ key: number }', {}, ['the statement has no column key', 'the type has no column id']],
    ['with another type', '{ id: string }', {}, ['id is bigint, not string']],
    ['with several types', '{ id: string | number }', {}, ['id is bigint, not string or number']],
    ['with other elements', '{ id: string[] }', { type: 'bigint[]' }, ['id is bigint[], not array']],
    ['without null', '{ id: number }', { isNullable: true }, ['id can be null']],
  ])('%s', (_, type, column, faults) => {
    expect(compare(type, column)).toEqual(faults);
  });

  test('when a test saw a value of another kind', () => {
    const open = { isNullable: undefined };
    expect(compare('{ id: number }', open, new Map([['id', new Set(['number', 'null'] as const)]]))).toEqual([
      'id was null',
    ]);
    const json = { type: 'jsonb', isNullable: undefined };
    expect(compare('{ id: number[] }', json, new Map([['id', new Set(['object'] as const)]]))).toEqual([
      'id was object',
    ]);
  });

  test('and holds otherwise, also if it allows null where there is none, or has an optional column more', () => {
    expect(compare('{ id: number | null; more?: string }', {})).toEqual([]);
    expect(compare('{ id: readonly number[] }', { type: 'bigint[]' })).toEqual([]);
    expect(
      compare('{ id: { key: string } }', { type: 'jsonb' }, new Map([['id', new Set(['object'] as const)]])),
    ).toEqual([]);
  });
});
