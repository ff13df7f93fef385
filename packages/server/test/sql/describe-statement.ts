// What PostgreSQL says of the columns of a statement when it prepares it, without running it. The embedded database does that: it is of
// the newest version, whose planner knows most about what can be null.
import { readFile } from 'node:fs/promises';
import { type ExecProtocolResult, messages, PGlite, protocol } from '@electric-sql/pglite';

export interface DescribedColumn {
  readonly name: string;
  /** As PostgreSQL calls it: `bigint`, `text[]`. */
  readonly type: string;
  /** Undefined for an expression that the planner cannot decide about. */
  readonly isNullable: boolean | undefined;
}

const { serialize } = protocol;

/** Of what a column of a result is read, if it is no expression. */
interface Origin {
  readonly table: number;
  readonly column: number;
}

type Field = Origin & { readonly name: string; readonly type: number };

export class StatementDescriber {
  readonly #database: PGlite;
  readonly #types: ReadonlyMap<number, string>;
  /** The names of columns that are declared `not null`, by the numbers of table and column. */
  readonly #required: ReadonlyMap<string, string>;

  private constructor(database: PGlite, types: ReadonlyMap<number, string>, required: ReadonlyMap<string, string>) {
    this.#database = database;
    this.#types = types;
    this.#required = required;
  }

  /** Opens a copy of a database whose files are in an archive. */
  static async open(snapshot: string): Promise<StatementDescriber> {
    const database = await PGlite.create({ loadDataDir: new Blob([await readFile(snapshot)]) });
    // Lets the planner find that a column is not null because a condition says so.
    await database.exec('set constraint_exclusion = on');
    const types = await database.query<{ oid: number; name: string }>(
      'select oid::int, format_type(oid, null) as name from pg_type',
    );
    const required = await database.query<{ key: string; name: string }>(
      `select attrelid::bigint || '.' || attnum as key, attname as name from pg_attribute where attnotnull and attnum > 0`,
    );
    return new StatementDescriber(
      database,
      new Map(types.rows.map(({ oid, name }) => [oid, name])),
      new Map(required.rows.map(({ key, name }) => [key, name])),
    );
  }

  async describe(text: string): Promise<DescribedColumn[]> {
    const fields = await this.#prepare(text);
    const plan = fields.some(({ table }) => table !== 0) ? await this.#explain(text) : undefined;
    const described: DescribedColumn[] = [];
    for (const [n, { name, type, table, column }] of fields.entries()) {
      const required = this.#required.get(`${table}.${column}`);
      const isRequired = required !== undefined && plan !== undefined && isAlwaysRead(plan, n, [name, required]);
      const isNullable = table === 0 ? undefined : !isRequired && !(await this.#isNeverNull(text, name));
      described.push({ name, type: this.#types.get(type) ?? String(type), isNullable });
    }
    return described;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async #prepare(text: string): Promise<Field[]> {
    const results: ExecProtocolResult['messages'] = [];
    try {
      for (const step of [serialize.parse({ text }), serialize.describe({ type: 'S' })])
        results.push(...(await this.#database.execProtocol(step)).messages);
    } finally {
      await this.#database.execProtocol(serialize.sync());
    }
    const row = results.find((message) => message instanceof messages.RowDescriptionMessage);
    return (row?.fields ?? []).map((field) => ({
      name: field.name,
      type: field.dataTypeID,
      table: field.tableID,
      column: field.columnID,
    }));
  }

  /**
   * Whether the planner removes the rows in which the column is null: it knows of columns that are `not null`, of outer joins, and of
   * conditions that only a value fulfills.
   */
  async #isNeverNull(text: string, name: string): Promise<boolean> {
    const whole = withoutEnd(text);
    const plan = await this.#explain(`select from (${whole}) as given where given."${name}" is null`);
    return plan !== undefined && hasNoRows(plan);
  }

  /** Undefined for what cannot be planned: a statement that writes cannot be part of another one. */
  async #explain(text: string): Promise<PlanNode | undefined> {
    try {
      const [result] = await this.#database.exec(`explain (format json, verbose, generic_plan, costs off) ${text}`);
      const [row] = (result?.rows ?? []) as { 'QUERY PLAN': { Plan: PlanNode }[] }[];
      return row?.['QUERY PLAN'][0]?.Plan;
    } catch {
      return undefined;
    }
  }
}

interface PlanNode {
  readonly 'Node Type'?: string;
  readonly Alias?: string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly PlanNode[];
  readonly 'CTE Name'?: string;
  readonly 'Join Type'?: string;
  readonly 'One-Time Filter'?: string;
  readonly 'Parent Relationship'?: string;
  readonly 'Subplan Name'?: string;
}

/** Whether the planner knows that a plan returns no rows. */
function hasNoRows({ 'One-Time Filter': filter, Plans: [first, ...others] = [] }: PlanNode): boolean {
  return filter === 'false' || (first !== undefined && others.length === 0 && hasNoRows(first));
}

/**
 * Whether each row has a row of the table that its n-th column is read of: an outer join adds rows without one. `names` are those
 * that the column has where other parts of the statement return it.
 */
function isAlwaysRead(plan: PlanNode, n: number, names: readonly string[], all = plan): boolean {
  const output = plan.Output?.[n] ?? '';
  // PostgreSQL names the table where a query reads several.
  if (/^"?\w+"?$/.test(output)) return true;
  const [, alias] = /^\(?(\w+)\./.exec(output) ?? [];
  const scans = listParts(plan).filter(({ node }) => node.Alias === alias);
  if (alias === undefined || scans.length === 0) return false;
  return scans.every(({ node, isOptional }) => !isOptional && isAlwaysReturned(node, names, all));
}

/** Whether that holds for what a scan reads, if that is another part of the statement. */
function isAlwaysReturned(scan: PlanNode, names: readonly string[], all: PlanNode): boolean {
  const source = sourceOf(scan, all);
  if (!source) return true;
  const outputs = (source.Output ?? []).flatMap((output, n) => (names.includes(toColumnName(output)) ? [n] : []));
  return outputs.length > 0 && outputs.every((n) => isAlwaysRead(source, n, names, all));
}

const toColumnName = (output: string): string => output.replaceAll(/^.*\.|"/g, '');

function sourceOf(scan: PlanNode, all: PlanNode): PlanNode | undefined {
  if (scan['Node Type'] === 'Subquery Scan') return scan.Plans?.find((part) => part['Subplan Name'] === undefined);
  const name = scan['CTE Name'];
  return name === undefined ? undefined : findNode(all, (node) => node['Subplan Name'] === `CTE ${name}`);
}

function findNode(node: PlanNode, matches: (node: PlanNode) => boolean): PlanNode | undefined {
  if (matches(node)) return node;
  for (const part of node.Plans ?? []) {
    const found = findNode(part, matches);
    if (found) return found;
  }
  return undefined;
}

interface PlanPart {
  readonly node: PlanNode;
  /** Whether an outer join adds rows without one of these. */
  readonly isOptional: boolean;
}

/** The parts of one query, without those of its subqueries. */
function listParts(node: PlanNode, isOptional = false): PlanPart[] {
  const parts = (node.Plans ?? []).filter((part) => part['Subplan Name'] === undefined);
  return [{ node, isOptional }, ...parts.flatMap((part) => listParts(part, isOptional || isOptionalIn(node, part)))];
}

/** Which side of a join can be missing. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  Left: ['Inner'],
  Right: ['Outer'],
  Full: ['Inner', 'Outer'],
};

const isOptionalIn = (join: PlanNode, side: PlanNode): boolean =>
  (OPTIONAL[join['Join Type'] ?? ''] ?? []).includes(side['Parent Relationship'] ?? '');

/** Without what picks rows at the end of a statement: it changes nothing about which columns can be null, and hides it. */
const withoutEnd = (text: string): string =>
  text.replace(
    /(\s+order by [^()]*)?(\s+limit \S+)?(\s+for (no key )?update[^()]*|\s+for (key )?share[^()]*)?\s*$/i,
    '',
  );
