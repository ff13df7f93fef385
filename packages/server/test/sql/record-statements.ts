// Runs in every test file: records the hand-written statements that the server runs, each with the place in the sources that runs it
// and the kinds of values that its columns had. `check.ts` compares them with the types that the sources declare.
import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ValueKind } from './declared-rows.ts';
import { toShape } from './shape.ts';

/** A line of the file of a process. */
export type SeenLine =
  | { readonly at: string; readonly text: string }
  | { readonly at: string; readonly column: string; readonly kind: ValueKind };

/** The private parts of a query that Drizzle built and is about to run. */
interface RunningQuery {
  readonly fields: unknown;
  readonly customResultMapper: unknown;
  readonly rawQueryConfig: { readonly text: string };
}

type Row = Record<string, unknown>;
type Result = Promise<{ rows: Row[] }>;
type Execute = (this: RunningQuery, values?: Record<string, unknown>) => Result;

const folder = process.env.SEEN_ROWS_FOLDER;
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const RECORDED = Symbol.for('parley.recorded');

if (folder !== undefined) await recordAll(join(folder, String(process.pid)));

async function recordAll(file: string): Promise<void> {
  // Most workspaces have no database.
  const { NodePgPreparedQuery } = await import('drizzle-orm/node-postgres');
  const { Statement } = await import('@parley/db');
  const query = NodePgPreparedQuery.prototype as unknown as { execute: Execute; [RECORDED]?: true };
  if (query[RECORDED]) return;
  query[RECORDED] = true;
  const seen = new Set<string>();
  const record = (key: string, line: SeenLine) => {
    if (seen.has(key)) return;
    seen.add(key);
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };
  const runRecorded = async <Result>(text: string, run: () => Promise<Result>, getRows: (result: Result) => Row[]) => {
    const at = findLocation(text);
    if (at === undefined) return run();
    record(`${at} ${toShape(text)}`, { at, text });
    const result = await run();
    for (const row of getRows(result))
      for (const column in row) {
        const kind = toKind(row[column]);
        record(`${at} ${column} ${kind}`, { at, column, kind });
      }
    return result;
  };
  const { execute } = query;
  query.execute = function (values) {
    const run = () => execute.call(this, values);
    return this.fields || this.customResultMapper
      ? run()
      : runRecorded(this.rawQueryConfig.text, run, ({ rows }) => rows);
  };
  const { run: runStatement } = Statement.prototype;
  Statement.prototype.run = function <Found>(
    this: InstanceType<typeof Statement>,
    session: Parameters<typeof runStatement>[0],
  ) {
    const run = () => runStatement.call(this, session) as Promise<Row[]>;
    return runRecorded(this.text, run, (rows) => rows) as Promise<Found[]>;
  };
}

function toKind(value: unknown): ValueKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (value instanceof Uint8Array) return 'bytes';
  return typeof value as ValueKind;
}

const locations = new Map<string, string | undefined>();
/** By text of a statement: where its last run was, and how often in a row it was there. */
const known = new Map<string, { location: string | undefined; runs: number }>();
/** A stack costs as much as a short statement, and nearly every text has one location. */
const ENOUGH_RUNS = 8;

/** The location in the sources that calls `rows`; undefined for statements of tests and for those that do not come from `rows`. */
function findLocation(text: string): string | undefined {
  const last = known.get(text);
  if (last && last.runs >= ENOUGH_RUNS) return last.location;
  const location = locationOfStack();
  known.set(text, { location, runs: last?.location === location ? (last?.runs ?? 0) + 1 : 1 });
  return location;
}

function locationOfStack(): string | undefined {
  const position = callerOfRows();
  if (position === undefined) return undefined;
  if (!locations.has(position)) locations.set(position, toSourceLocation());
  return locations.get(position);
}

const ROWS = 'packages/db/src/connect.ts';

/** Where the compiled code is that calls `rows`. Source maps would take longer than most statements. */
function callerOfRows(): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 12;
  Error.prepareStackTrace = (_, frames) => frames;
  const frames = new Error().stack as unknown as NodeJS.CallSite[];
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  const last = frames.findLastIndex((frame) => isRows(frame.getFunctionName() ?? '', frame.getFileName() ?? ''));
  const caller = frames[last + 1];
  return last < 0 || !caller
    ? undefined
    : `${caller.getFileName()}:${caller.getLineNumber()}:${caller.getColumnNumber()}`;
}

const isRows = (name: string, path: string): boolean => /(^|\.)rows$/.test(name) && path.includes(ROWS);

function toSourceLocation(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 16;
  const frames = (new Error().stack ?? '').split('\n');
  Error.stackTraceLimit = stackTraceLimit;
  const last = frames.findLastIndex((frame) => /\brows \(/.test(frame) && frame.includes(ROWS));
  const [, path, line] = /\(?((?:file:\/\/)?\/[^()]+?):(\d+):\d+\)?$/.exec(frames[last + 1] ?? '') ?? [];
  if (path === undefined) return undefined;
  const location = `${relative(root, path.replace(/^file:\/\//, '').replace(/\?.*$/, ''))}:${line}`;
  return /^packages\/\w+\/src\/(?!.*\.test\.ts)/.test(location) ? location : undefined;
}
