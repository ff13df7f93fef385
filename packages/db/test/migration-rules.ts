// What a migration can do to tables that servers of the release before it use meanwhile.
import { CONCURRENTLY, type MigrationFile, nameOf } from '../src/migration-files.ts';

/**
 * The newest migration from before the first release: no server of an earlier schema runs anywhere. Final with that
 * release.
 */
const NEWEST_EXEMPT = 9;

const CONTRACT = /^-- contract: \S/m;
const MINIMUM = /^-- minimum: \d{4}$/m;
const NAME = '(?:"?public"?\\.)?"?(\\w+)"?';
const CREATE_TABLE = new RegExp(`^create table (?:if not exists )?${NAME}`, 'i');
const CREATE_INDEX = new RegExp(
  `^create (?:unique )?index (?:concurrently )?(?:if not exists )?${NAME} on (?:only )?${NAME}`,
  'i',
);
const DROP_INDEX = new RegExp(`^drop index concurrently if exists ${NAME}`, 'i');
const ALTER_TABLE = new RegExp(`^alter table (?:if exists )?(?:only )?${NAME}`, 'i');
const NOT_NULL_CHECK = new RegExp(`add constraint ${NAME} check \\(+"?(\\w+)"? is not null\\)+ not valid`, 'i');
const VALIDATE = new RegExp(`validate constraint ${NAME}`, 'i');
const SET_NOT_NULL = /alter column "?(\w+)"? set not null/i;

/** Statements that break servers of the release before. */
const BREAKS: readonly [RegExp, string][] = [
  [/^drop (table|view|type|function|sequence|schema)\b/i, 'drops what servers may use'],
  [/\bdrop (column|constraint|default|expression|identity)\b|\bdrop "\w+"$/i, 'drops what servers may use'],
  [/\brename (to|column|constraint)\b|\brename "\w+" to\b/i, 'renames what servers may use'],
  [/^truncate\b/i, 'empties a table'],
];

/** Statements that keep a large table locked. */
const REWRITES: readonly [RegExp, string][] = [
  [/\balter column "?\w+"? (set data )?type\b/i, 'writes the whole table anew'],
  [/^(vacuum full|cluster)\b/i, 'writes the whole table anew'],
  [
    /\badd column .*\b(bigserial|serial|generated (always|by default)|default \(?(random|gen_random_uuid|nextval|clock_timestamp)\b)/i,
    'writes the whole table anew',
  ],
  [/\badd column (?!.*\bdefault\b).*\bnot null\b/i, 'fails where the table has rows'],
  [
    /\badd constraint .*\b(check|foreign key)\b(?!.*\bnot valid$)/i,
    'reads the whole table: add "not valid", and validate the constraint in a later migration',
  ],
  [
    /\badd (constraint \S+ )?(primary key|unique)\b(?!.*\busing index\b)/i,
    'makes an index while the table is locked: make it concurrently, and add the constraint "using index"',
  ],
];

/** The problems of the migrations, one sentence each. */
export function findMigrationProblems(files: readonly MigrationFile[]): string[] {
  const checked = new Set<string>();
  const checks = new Map<string, string>();
  const problems = files.flatMap((file, n) => {
    const statements = file.statements.map(plain);
    for (const statement of statements) noteChecks(statement, checks, checked);
    if (file.version <= NEWEST_EXEMPT) return [];
    return [...headProblems(file, files[n - 1]), ...statementProblems(file, statements, checked)].map(
      (problem) => `${file.name}: ${problem}`,
    );
  });
  return problems;
}

/** Without comments, on one line. */
const plain = (statement: string): string =>
  statement.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim().replace(/;$/, '').trim();

/** Columns whose values are known to be not null, as `table.column`. */
function noteChecks(statement: string, checks: Map<string, string>, checked: Set<string>): void {
  const [, table = ''] = ALTER_TABLE.exec(statement) ?? [];
  const [, constraint = '', column = ''] = NOT_NULL_CHECK.exec(statement) ?? [];
  if (constraint) checks.set(`${table}.${constraint}`, `${table}.${column}`);
  const [, validated = ''] = VALIDATE.exec(statement) ?? [];
  const known = checks.get(`${table}.${validated}`);
  if (known) checked.add(known);
}

function headProblems({ statements, minimum, version }: MigrationFile, before: MigrationFile | undefined): string[] {
  const least = before?.minimum ?? 0;
  if (!MINIMUM.test(statements.join('\n')))
    return ['it needs a line "-- minimum: NNNN", the oldest schema whose servers can run on it'];
  if (minimum < least || minimum > version) return [`its minimum must be ${nameOf(least)} to ${nameOf(version)}`];
  if (minimum > least && !CONTRACT.test(statements.join('\n')))
    return ['it excludes servers that could run before, so it needs a line "-- contract: REASON"'];
  return [];
}

function statementProblems(file: MigrationFile, statements: readonly string[], checked: ReadonlySet<string>): string[] {
  const made = new Set(statements.flatMap((statement) => CREATE_TABLE.exec(statement)?.[1] ?? []));
  const isContract = CONTRACT.test(file.statements.join('\n'));
  const used = statements.filter((statement) => !made.has(ALTER_TABLE.exec(statement)?.[1] ?? ''));
  return [
    ...used.flatMap((statement) => indexProblems(statement, made)),
    ...(file.isConcurrent ? concurrentProblems(statements) : []),
    ...(isContract ? [] : used.flatMap((statement) => tableProblems(statement, checked))),
  ];
}

function indexProblems(statement: string, made: ReadonlySet<string>): string[] {
  const [, index, table = ''] = CREATE_INDEX.exec(statement) ?? [];
  if (index === undefined || made.has(table) || CONCURRENTLY.test(statement)) return [];
  return [`index ${index} keeps writes to ${table} waiting: create it concurrently, in a migration of its own`];
}

function concurrentProblems(statements: readonly string[]): string[] {
  const dropped = new Set<string>();
  return statements.flatMap((statement) => {
    if (!CONCURRENTLY.test(statement)) return ['what runs concurrently needs a migration of its own'];
    const [, droppedIndex] = DROP_INDEX.exec(statement) ?? [];
    if (droppedIndex) dropped.add(droppedIndex);
    const [, index] = CREATE_INDEX.exec(statement) ?? [];
    if (index === undefined || dropped.has(index)) return [];
    return [
      `"drop index concurrently if exists ${index}" must come first: an attempt that is interrupted leaves a part of the index`,
    ];
  });
}

function tableProblems(statement: string, checked: ReadonlySet<string>): string[] {
  const found = [...BREAKS, ...REWRITES].filter(([pattern]) => pattern.test(statement)).map(([, problem]) => problem);
  const [, table = ''] = ALTER_TABLE.exec(statement) ?? [];
  const [, column] = SET_NOT_NULL.exec(statement) ?? [];
  if (column !== undefined && !checked.has(`${table}.${column}`)) {
    found.push('reads the whole table: add a check "is not null", not valid, and validate it before');
  }
  return found.map((problem) => `"${statement}" ${problem}. A migration with a line "-- contract: REASON" may`);
}
