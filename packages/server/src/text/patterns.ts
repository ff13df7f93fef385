// Regular expressions from users, run by RE2: the time of a search is bounded by the product of text and pattern size.
import { createRequire } from 'node:module';
import type { RE2JS, RE2JSException } from 're2js';
import { lazy } from '../core/lazy.ts';

const require = createRequire(import.meta.url);
const re2 = lazy(() => require('re2js') as typeof import('re2js'));

export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** The matches of the named groups; null for a group that did not participate. */
  readonly groups: Readonly<Record<string, string | null>>;
}

export interface Pattern {
  /** Names of its groups. */
  readonly groups: readonly string[];
  /** Instructions of its program: a search costs at most that many times the length of the text. */
  readonly size: number;
  /** Its matches from left to right, empty ones included. Matches adjacent to a letter, a digit or `_` are excluded. */
  find(text: string): Iterable<PatternMatch>;
}

/** Up to this size the engine uses its fastest algorithm for a text of 500 characters. */
const LARGEST_PROGRAM = 500;
/** Patterns estimated to be larger are not compiled: the compilation alone would take seconds. */
const LARGEST_PROMISE = 2 * LARGEST_PROGRAM;
const LONGEST_QUOTE = 40;
const TOO_LARGE = 'It is too large: what is repeated counts as often as it may be, and a class of Unicode counts much.';

/** The compiled pattern, or a sentence with its problem. */
export function compilePattern(source: string): Pattern | string {
  if (promisedSize(source) > LARGEST_PROMISE) return TOO_LARGE;
  try {
    const groups = Object.keys(re2().RE2JS.compile(source).namedGroups());
    const engine = apart(source);
    const size = engine.programSize();
    return size > LARGEST_PROGRAM ? TOO_LARGE : { groups, size, find: (text) => search(engine, text) };
  } catch (error) {
    if (error instanceof re2().RE2JSException) return `It is not a regular expression of RE2: ${reasonOf(error)}.`;
    throw error;
  }
}

function reasonOf(error: RE2JSException): string {
  if (!(error instanceof re2().RE2JSSyntaxException)) return error.message;
  const where = error.getPattern()?.slice(0, LONGEST_QUOTE);
  return where ? `${error.getDescription()}, at "${where}"` : error.getDescription();
}

/** The engine checks the word boundaries itself, so it can choose another match that fits. */
function apart(source: string): RE2JS {
  const around = (inner: string) => `(?:^|[^0-9A-Za-z_])(${inner})(?:$|[^0-9A-Za-z_])`;
  try {
    return re2().RE2JS.compile(around(source));
  } catch {
    // A quotation, `\Q`, that extends to the end of the pattern must end before the appended part.
    return re2().RE2JS.compile(around(`${source}\\E`));
  }
}

function* search(engine: RE2JS, text: string): Generator<PatternMatch> {
  const matcher = engine.matcher(text);
  for (let from = 0; from <= text.length && matcher.find(from); ) {
    const [start, end] = [matcher.start(1), matcher.end(1)];
    from = start < end ? end : end + widthAt(text, end);
    yield { start, end, groups: matcher.getNamedGroups() };
  }
}

const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const token =
  /\\Q.*?(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\.|\[\^?\]?(?:\\.|\[:[^\]]*:\]|[^\]\\])*\]|\((?:\?P?<[^>]*>|\?[^:)]*:?)?|\{(\d+)(?:,(\d*))?\}|./gsu;
/** A Unicode class has hundreds of ranges. */
const UNICODE_CLASS = 25;

/** The approximate program size of a pattern. The estimate need not be exact, only fast. */
function promisedSize(source: string): number {
  const around: number[][] = [];
  let sizes: number[] = [];
  for (const [text, least, most] of source.matchAll(token)) {
    if (text.startsWith('(')) {
      around.push(sizes);
      sizes = [];
    } else if (text === ')') {
      const group = 2 + sum(sizes);
      sizes = around.pop() ?? [];
      sizes.push(group);
    } else if (least !== undefined) sizes.push((sizes.pop() ?? 0) * Math.max(Number(least), Number(most ?? 0)));
    else sizes.push(sizeOf(text));
  }
  return sum(around.flat()) + sum(sizes);
}

function sizeOf(item: string): number {
  if (item.startsWith('\\Q')) return item.length;
  return 1 + UNICODE_CLASS * (item.match(/\\[pP]/g) ?? []).length;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
