import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { readMigrations } from '../src/migration-files.ts';
import { compatible, createLaterMigrations, type LaterMigrations, newestMinimum } from './later-migrations.ts';
import { findMigrationProblems } from './migration-rules.ts';

let later: LaterMigrations | undefined;
afterEach(() => {
  later?.remove();
  later = undefined;
});

/** The problems of migrations that come after those of this release. */
function problemsOf(...files: string[]): string[] {
  later = createLaterMigrations(...files);
  return findMigrationProblems(readMigrations(later.folder));
}

test('the migrations follow the rules', () => {
  const own = fileURLToPath(new URL('../migrations', import.meta.url));
  expect(findMigrationProblems(readMigrations(own))).toEqual([]);
});

describe('a migration can', () => {
  test.each([
    ['add a column', ['alter table "drafts" add column "mood" text']],
    ['add a column with a constant default', [`alter table "drafts" add column "mood" text default 'calm' not null`]],
    [
      'make a table with indexes and constraints',
      [
        'create table "moods" ("id" bigint primary key, "user_id" bigint)',
        'create index "moods_of" on "moods" using btree ("user_id")',
        'alter table "moods" add constraint "moods_user" foreign key ("user_id") references "users" ("id")',
      ],
    ],
    [
      'make an index concurrently',
      [
        'drop index concurrently if exists "drafts_later"',
        'create index concurrently "drafts_later" on "drafts" ("id")',
      ],
    ],
    ['add a constraint that is not valid', ['alter table "drafts" add constraint "some" check (id > 0) not valid']],
    ['validate a constraint', ['alter table "drafts" validate constraint "some"']],
    ['allow null', ['alter table "drafts" alter column "content" drop not null']],
  ])('%s', (_what, statements) => {
    expect(problemsOf(compatible(...statements))).toEqual([]);
  });

  test('set a column to "not null" that a valid check of an earlier migration covers', () => {
    const check = 'alter table "drafts" add constraint "has_mood" check ("mood" is not null) not valid';
    const steps = [
      compatible('alter table "drafts" add column "mood" text'),
      compatible(check),
      compatible('alter table "drafts" validate constraint "has_mood"'),
      compatible('alter table "drafts" alter column "mood" set not null'),
    ];
    expect(problemsOf(...steps)).toEqual([]);
    expect(problemsOf(...steps.filter((step) => !step.includes('validate')))).toEqual([
      expect.stringContaining('reads the whole table'),
    ]);
  });
});

const breaking = [
  ['create index "drafts_later" on "drafts" using btree ("id")', 'concurrently'],
  ['create unique index "drafts_later" on "drafts" ("id")', 'concurrently'],
  ['drop table "drafts"', 'drops'],
  ['alter table "drafts" drop column "content"', 'drops'],
  ['alter table "drafts" drop constraint "some"', 'drops'],
  ['alter table "drafts" rename to "letters"', 'renames'],
  ['alter table "drafts" rename column "content" to "text"', 'renames'],
  ['alter table "drafts" alter column "id" set data type numeric', 'anew'],
  ['alter table "drafts" alter column "content" set not null', 'not valid'],
  ['alter table "drafts" add column "mood" text not null', 'has rows'],
  ['alter table "drafts" add column "made" timestamptz default clock_timestamp()', 'anew'],
  ['alter table "drafts" add column "n" bigint generated always as identity', 'anew'],
  ['alter table "drafts" add constraint "some" check (id > 0)', 'not valid'],
  ['alter table "drafts" add constraint "some" foreign key ("user_id") references "users" ("id")', 'not valid'],
  ['alter table "drafts" add constraint "some" unique ("user_id")', 'using index'],
  ['truncate "drafts"', 'empties'],
] as const;

describe('a migration must not', () => {
  test.each(breaking)('%s', (statement, word) => {
    expect(problemsOf(compatible(statement))).toEqual([expect.stringContaining(word)]);
  });

  test('create an index without dropping what an interrupted attempt left', () => {
    expect(problemsOf(compatible('create index concurrently "drafts_later" on "drafts" ("id")'))).toEqual([
      expect.stringContaining('drop index concurrently if exists drafts_later'),
    ]);
  });

  test('create an index concurrently beside other statements', () => {
    const index = [
      'drop index concurrently if exists "drafts_later"',
      'create index concurrently "drafts_later" on "drafts" ("id")',
    ];
    expect(problemsOf(compatible(...index, 'alter table "drafts" add column "mood" text'))).toEqual([
      expect.stringContaining('a migration of its own'),
    ]);
  });

  test('omit which servers can run on it, or name some that cannot', () => {
    const column = 'alter table "drafts" add column "mood" text';
    expect(problemsOf(column)).toEqual([expect.stringContaining('-- minimum: NNNN')]);
    expect(problemsOf(`-- minimum: 0000\n${column}`)).toEqual([expect.stringContaining(`${newestMinimum()} to`)]);
    expect(problemsOf(`-- minimum: 9999\n${column}`)).toEqual([expect.stringContaining(`${newestMinimum()} to`)]);
    const [own = ''] = later?.names ?? [];
    expect(problemsOf(`-- minimum: ${own}\n${column}`)).toEqual([expect.stringContaining('-- contract: REASON')]);
  });
});

test('a migration declared as a contract, with a reason, can break older servers, but not create an index that blocks writes', () => {
  const contract = (statement: string) => compatible(`-- contract: no server has used it since 0003.\n${statement}`);
  for (const [statement, word] of breaking) {
    const expected = word === 'concurrently' ? [expect.stringContaining(word)] : [];
    expect(problemsOf(contract(statement)), statement).toEqual(expected);
    later?.remove();
  }
});
