// Decodes parameters by their types in the document (docs/behaviour/requests.md#values-in-forms-and-queries): strings
// are taken as they are, everything else is JSON.
import { operations } from '@parley/openapi';
import type { OperationId } from '../core/contract.ts';
import { fail, failInvalid } from '../core/errors.ts';
import { excerpt } from '../core/excerpt.ts';
import { bounds } from '../core/limits.ts';
import { NamedValues } from './named-values.ts';
import { findJson } from './parse-json.ts';

export interface ParameterRule {
  readonly in: 'path' | 'query' | 'body';
  readonly kinds: readonly string[];
  readonly required: boolean;
  readonly expects: string;
  readonly alias_of?: string;
  readonly invalid?: string;
  /** It is a file. */
  readonly max_bytes?: number;
}

/** A file of a multipart body, with the name that the client sent. */
export class SentFile {
  constructor(
    readonly bytes: Uint8Array,
    readonly name: string,
  ) {}
}

export interface Decoded {
  params: Record<string, unknown>;
  /** Names that the operation does not know, sorted by code point. */
  ignored: string[];
}

type Pairs = Iterable<readonly [string, string | SentFile]>;

/** The values of a request: forms and queries contain strings or files, a JSON body has types of its own. */
export interface Sent {
  path: Record<string, string>;
  query: Pairs;
  body: Pairs | Record<string, unknown>;
}

export const getParameters = (id: OperationId): Readonly<Record<string, ParameterRule>> => operations[id].params;

/** The parameters of a request by name, with the types of the document. */
export function decode(id: OperationId, sent: Sent): Decoded {
  const known = getParameters(id);
  const params = new NamedValues();
  const ignored = new Set<string>();
  // Of a repeated name the last value counts; the others are not even checked.
  const take = (name: string, value: (parameter: ParameterRule) => unknown) => {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!parameter) requireNoBrackets(name, known);
    if (!parameter) return void (name === 'client' || ignored.add(name));
    if (parameter.in !== 'path') params[name] = value(parameter);
  };
  for (const [name, text] of new Map(sent.query)) take(name, (parameter) => fromText(name, text, parameter));
  if (Symbol.iterator in sent.body) {
    for (const [name, text] of new Map(sent.body as Pairs)) take(name, (parameter) => fromText(name, text, parameter));
  } else {
    for (const [name, value] of Object.entries(sent.body)) {
      if (value !== null) take(name, (parameter) => fromJson(name, value, parameter));
      else delete params[name];
    }
  }
  for (const [name, text] of Object.entries(sent.path)) params[name] = fromPath(text, known[name]);
  for (const [name, value] of Object.entries(params)) params[name] = wellFormed(name, value, 0);
  return { params: withoutAliases(params, listAliases(id)), ignored: namesToReport(ignored) };
}

/**
 * Some clients encode an array or an object as `narrow[0][operator]=…`. Ignored like an unknown parameter, it would
 * silently widen the operation.
 */
function requireNoBrackets(name: string, known: Readonly<Record<string, ParameterRule>>): void {
  const [stem = ''] = name.split('[', 1);
  const parameter = stem !== name && Object.hasOwn(known, stem) ? known[stem] : undefined;
  if (!parameter || parameter.in === 'path') return;
  const sent = excerpt(name, bounds.ignored_name);
  const message = `Parameter "${sent}" cannot be read: send "${stem}" without brackets. It must be ${parameter.expects}.`;
  failInvalid(message);
}

/** Truncated before they are sorted: a client can send a name as long as the body. */
function namesToReport(names: Iterable<string>): string[] {
  const short = new Set([...names].map((name) => excerpt(name, bounds.ignored_name)));
  return [...short].sort(byCodePoint).slice(0, bounds.ignored_names);
}

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function fromText(name: string, text: string | SentFile, parameter: ParameterRule): unknown {
  const { kinds, expects } = parameter;
  if (parameter.max_bytes !== undefined || text instanceof SentFile) return fileFrom(name, text, parameter);
  if (kinds.length === 1 && kinds[0] === 'string') return text;
  if (kinds.every((kind) => kind === 'integer')) return integer(text) ?? malformed(name, expects);
  const value = parsed(name, text);
  if (value !== undefined && kinds.includes(kindOf(value))) return value;
  // The word of a union can be sent raw, `unlimited`, as well as quoted.
  return kinds.includes('string') ? text : malformed(name, expects);
}

function fromJson(name: string, value: unknown, parameter: ParameterRule): unknown {
  return parameter.max_bytes === undefined ? value : fileFrom(name, value, parameter);
}

/** Only a multipart body contains files; a string under the name of one is an error. */
function fileFrom(name: string, value: unknown, { max_bytes, expects }: ParameterRule): SentFile {
  return value instanceof SentFile && max_bytes !== undefined ? value : malformed(name, expects);
}

// Only plain digits: JSON would also accept 1e3, and conversion would accept " 12 " and 012.
const integer = (text: string): number | undefined => (/^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined);

function parsed(name: string, text: string): unknown {
  const value = findJson(text, `Parameter "${name}"`);
  // White space around an array or an object is accepted; a word or a number must match exactly.
  return typeof value === 'object' || text === text.trim() ? value : undefined;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function malformed(name: string, expects: string): never {
  return failInvalid(`Parameter "${name}" must be ${expects}.`);
}

const fromPath = (text: string, parameter: ParameterRule | undefined): unknown =>
  parameter?.kinds.includes('integer') && /^\d+$/.test(text) ? Number(text) : text;

/**
 * Texts that PostgreSQL cannot store fail, and integers beyond 2^53 become 2^53 - 1: no id is that large, so both are
 * unknown ids.
 */
function wellFormed(name: string, value: unknown, depth: number): unknown {
  if (depth > bounds.depth) failInvalid(`Parameter "${name}" is nested more than ${bounds.depth} levels deep.`);
  if (typeof value === 'string') {
    if (value.includes('\0')) failInvalid(`Parameter "${name}" contains a null character.`);
    if (!value.isWellFormed()) failInvalid(`Parameter "${name}" contains half a character (a lone surrogate).`);
    return value;
  }
  if (typeof value === 'number') return Math.min(Math.max(value, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  if (Array.isArray(value)) return value.map((item) => wellFormed(name, item, depth + 1));
  if (typeof value !== 'object' || value === null || value instanceof SentFile) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [wellFormed(name, key, depth + 1), wellFormed(name, item, depth + 1)]),
  );
}

/** Other names of a parameter, with its name. */
type Aliases = readonly (readonly [string, string])[];

const aliases = new Map<OperationId, Aliases>();

function listAliases(id: OperationId): Aliases {
  const known = aliases.get(id);
  if (known) return known;
  const listed = Object.entries(getParameters(id)).flatMap(([alias, { alias_of: name }]) =>
    name === undefined ? [] : [[alias, name] as const],
  );
  aliases.set(id, listed);
  return listed;
}

function withoutAliases(params: Record<string, unknown>, aliases: Aliases) {
  for (const [alias, name] of aliases) {
    if (!(alias in params)) continue;
    if (name in params) {
      fail('REQUEST_CONFUSING_VAR', `Send "${name}" or "${alias}", not both.`, { var_name1: name, var_name2: alias });
    }
    params[name] = params[alias];
    delete params[alias];
  }
  return params;
}
