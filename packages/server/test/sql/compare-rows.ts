// Compares what the sources declare of the rows of a statement with what PostgreSQL says of them, and with the values that the tests saw.
import type { DeclaredColumn, DeclaredRow, ValueKind } from './declared-rows.ts';
import type { DescribedColumn } from './describe-statement.ts';

/** What the driver makes of each type. What is JSON can be any value. */
const KINDS: Readonly<Record<string, ValueKind | 'any'>> = {
  bigint: 'number',
  boolean: 'boolean',
  bytea: 'bytes',
  character: 'string',
  'character varying': 'string',
  'double precision': 'number',
  int4multirange: 'string',
  integer: 'number',
  json: 'any',
  jsonb: 'any',
  name: 'string',
  numeric: 'string',
  oid: 'number',
  real: 'number',
  smallint: 'number',
  text: 'string',
  // Drizzle leaves times as PostgreSQL writes them.
  'timestamp with time zone': 'string',
  uuid: 'string',
  xid: 'string',
};

/** The kinds of values that each column had while the tests ran. */
export type SeenKinds = ReadonlyMap<string, ReadonlySet<ValueKind>>;

/** What is wrong with the declared type of a statement's rows. */
export function compareRows(
  { columns: declared }: DeclaredRow,
  described: readonly DescribedColumn[],
  seen: SeenKinds,
): string[] {
  if (!declared) return [];
  const names = new Set(described.map(({ name }) => name));
  const missing = [...declared].filter(([name, { isOptional }]) => !isOptional && !names.has(name));
  return [
    ...missing.map(([name]) => `the statement has no column ${name}`),
    ...described.flatMap((column) => {
      const type = declared.get(column.name);
      if (!type) return [`the type has no column ${column.name}`];
      return type.kinds ? compareColumn(type, type.kinds, column, seen.get(column.name) ?? new Set()) : [];
    }),
  ];
}

function compareColumn(
  declared: DeclaredColumn,
  kinds: readonly ValueKind[],
  { name, type, isNullable }: DescribedColumn,
  seen: ReadonlySet<ValueKind>,
): string[] {
  const values = kinds.filter((kind) => !['null', 'undefined'].includes(kind));
  if (!isOfType(values, declared.elements, type)) return [`${name} is ${type}, not ${values.join(' or ')}`];
  if (isNullable === true && !kinds.includes('null')) return [`${name} can be null`];
  const unexpected = [...seen].filter((kind) => !kinds.includes(kind));
  return unexpected.map((kind) => `${name} was ${kind}`);
}

/** Whether all values of a type are of the one kind that is declared. */
function isOfType(values: readonly ValueKind[], elements: DeclaredColumn['elements'], type: string): boolean {
  const [, element] = /^(.*)\[\]$/.exec(type) ?? [];
  const kind = element === undefined ? kindOf(type) : 'array';
  if (kind === 'any') return true;
  const areElements = element === undefined || !elements || elements.every((one) => one === kindOf(element));
  return values.length === 1 && values[0] === kind && areElements;
}

function kindOf(type: string): ValueKind | 'any' {
  const kind = KINDS[type];
  if (kind === undefined) throw new Error(`Unknown type of the driver: ${type}`);
  return kind;
}
