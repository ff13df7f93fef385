import { Column, getTableName, is, SQL } from 'drizzle-orm';

/** A column of a query that Drizzle built. */
export interface SelectedField {
  /** Names: one, or that of an object in the row and one in the object. */
  readonly path: readonly string[];
  readonly field: unknown;
}

type Decode = (value: unknown) => unknown;

interface ReadColumn {
  readonly name: string;
  readonly index: number;
  /** Undefined for values that stay as they are. Never called with null. */
  readonly decode: Decode | undefined;
}

/** An object of a row, or the row itself. */
interface ReadObject {
  readonly columns: readonly ReadColumn[];
  /** In an object of a table that may be missing, the column that is null then. */
  readonly missing: number | undefined;
}

/**
 * Makes a function that reads a row of a query as Drizzle does, with all that depends on the columns looked up
 * before.
 */
export function createRowReader<Row>(
  fields: readonly SelectedField[],
  isPresent: Readonly<Record<string, boolean>> | undefined,
): (values: readonly unknown[]) => Row {
  const own = toObject(fields, ({ path }) => path.length === 1, undefined);
  const names = [...new Set(fields.flatMap(({ path: [name = ''], path }) => (path.length > 1 ? [name] : [])))];
  const objects = names.map((name) => [name, toObject(fields, isIn(name), isPresent)] as const);
  return (values) => {
    const row = readColumns(own, values);
    for (const [name, object] of objects) row[name] = isMissing(object, values) ? null : readColumns(object, values);
    return row as Row;
  };
}

const isIn =
  (name: string) =>
  ({ path }: SelectedField): boolean =>
    path.length > 1 && path[0] === name;

function toObject(
  fields: readonly SelectedField[],
  includes: (field: SelectedField) => boolean,
  isPresent: Readonly<Record<string, boolean>> | undefined,
): ReadObject {
  const columns = fields.flatMap((one, index) =>
    includes(one) ? [{ name: nameOf(one), index, decode: decoderOf(one.field) }] : [],
  );
  const tables = new Set(fields.filter(includes).map(({ field }) => tableOf(field)));
  const [table] = tables;
  const canBeMissing = isPresent && tables.size === 1 && table !== undefined && !isPresent[table];
  return { columns, missing: canBeMissing ? columns[0]?.index : undefined };
}

const isMissing = ({ missing }: ReadObject, values: readonly unknown[]): boolean =>
  missing !== undefined && values[missing] === null;

function readColumns({ columns }: Pick<ReadObject, 'columns'>, values: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { name, index, decode } of columns) {
    const value = values[index];
    object[name] = value === null || !decode ? value : decode(value);
  }
  return object;
}

function nameOf({ path }: SelectedField): string {
  const name = path.at(-1);
  if (name === undefined || path.length > 2) throw new Error('An object of a row contains columns only.');
  return name;
}

const tableOf = (field: unknown): string | undefined => (is(field, Column) ? getTableName(field.table) : undefined);

interface Decoder {
  mapFromDriverValue(value: unknown): unknown;
}

function decoderOf(field: unknown): Decode | undefined {
  if (is(field, Column)) return toDecode(field, Column.prototype);
  const expression = is(field, SQL.Aliased) ? field.sql : field;
  if (!is(expression, SQL)) throw new Error('A row contains columns and expressions only.');
  return toDecode(getDecoder(expression), getDecoder(new SQL([])));
}

const getDecoder = (expression: SQL): Decoder => (expression as unknown as { readonly decoder: Decoder }).decoder;

/** Undefined if the decoder decodes as this one, which returns what it is given. */
const toDecode = (decoder: Decoder, identity: Decoder): Decode | undefined =>
  decoder.mapFromDriverValue === identity.mapFromDriverValue ? undefined : (value) => decoder.mapFromDriverValue(value);
