import type { Schema } from '../../../core/contract.ts';
import { bounds } from '../../../core/limits.ts';

type Raw = Schema<'Narrow'>[number];
type Operand = Extract<Raw, { operator: string }>['operand'];

const IS = ['dm', 'private', 'starred', 'unread', 'mentioned', 'alerted', 'resolved'] as const;
const HAS = ['attachment', 'image', 'link'] as const;
const IN = ['home', 'all'] as const;
const STREAMS = ['public', 'web-public'] as const;
/** Words to search for; a quoted text is one phrase. */
export interface SearchWords {
  readonly text: string;
  readonly phrase: boolean;
}

export type TermMeaning =
  | { is_a: 'stream'; stream: number | string }
  | { is_a: 'streams'; streams: (typeof STREAMS)[number] }
  | { is_a: 'topic'; topic: string }
  | { is_a: 'sender' | 'dm-including'; user: number | string }
  | { is_a: 'dm'; users: (number | string)[] }
  | { is_a: 'is'; property: (typeof IS)[number] }
  | { is_a: 'has'; part: (typeof HAS)[number] }
  | { is_a: 'in'; scope: (typeof IN)[number] }
  | { is_a: 'id' | 'near'; id: number }
  | { is_a: 'search'; words: SearchWords[] };

/** One parsed term of a narrow. Whether its stream or users exist is checked elsewhere. */
export type NarrowTerm = TermMeaning & { readonly negated: boolean };

/** The terms of a narrow, or the problem of the first invalid one. */
export function parseNarrow(narrow: Schema<'Narrow'>): { terms: NarrowTerm[] } | { problem: string } {
  const terms: NarrowTerm[] = [];
  for (const raw of narrow) {
    const { operator, operand, negated = false } = asObject(raw);
    const meaning = meaningOf(operator, operand);
    if (typeof meaning === 'string') return { problem: meaning };
    terms.push({ ...meaning, negated });
  }
  const words = terms.flatMap((term) => (term.is_a === 'search' ? term.words : []));
  if (words.length > bounds.search_words)
    return { problem: `A narrow can search for at most ${bounds.search_words} words.` };
  if (words.reduce((sum, { text }) => sum + text.length, 0) > bounds.search_characters)
    return { problem: `A narrow can search for at most ${bounds.search_characters} characters.` };
  return { terms };
}

function asObject(raw: Raw): { operator: string; operand: Operand; negated?: boolean } {
  if (!Array.isArray(raw)) return raw;
  const [operator = '', operand = ''] = raw;
  return { operator: String(operator), operand };
}

function meaningOf(operator: string, operand: Operand): TermMeaning | string {
  const bad = `Invalid operand of ${operator}: ${JSON.stringify(operand)}`;
  switch (operator) {
    case 'stream':
      return Array.isArray(operand) || blank(operand) ? bad : { is_a: 'stream', stream: trimmed(operand) };
    case 'streams':
      return isOneOf(STREAMS, operand) ? { is_a: 'streams', streams: operand } : bad;
    case 'topic':
      return typeof operand === 'string' ? { is_a: 'topic', topic: operand.trim() } : bad;
    case 'sender':
    case 'dm-including': {
      const [user, ...more] = listUsersIn(operand);
      return user === undefined || more.length > 0 ? bad : { is_a: operator, user };
    }
    case 'dm':
    case 'pm-with': {
      const users = listUsersIn(operand);
      if (users.length > bounds.narrow_users) return `${operator} can name at most ${bounds.narrow_users} users.`;
      return users.length === 0 ? bad : { is_a: 'dm', users };
    }
    case 'is':
      return isOneOf(IS, operand) ? { is_a: 'is', property: operand } : bad;
    case 'has':
      return isOneOf(HAS, operand) ? { is_a: 'has', part: operand } : bad;
    case 'in':
      return isOneOf(IN, operand) ? { is_a: 'in', scope: operand } : bad;
    case 'id':
    case 'near': {
      const id = idIn(operand);
      return id === undefined ? bad : { is_a: operator, id };
    }
    case 'search': {
      const words = typeof operand === 'string' ? parseSearchWords(operand) : [];
      return words.length === 0 ? bad : { is_a: 'search', words };
    }
    default:
      return `Unknown operator: ${operator}`;
  }
}

const blank = (operand: Operand): boolean => typeof operand === 'string' && operand.trim() === '';
const trimmed = (one: number | string): number | string => (typeof one === 'string' ? one.trim() : one);
const isOneOf = <T extends string>(known: readonly T[], operand: Operand): operand is T => known.includes(operand as T);

/** Ids, or email addresses; a string can contain several addresses, separated by commas. */
function listUsersIn(operand: Operand): (number | string)[] {
  const listed: (number | string)[] = Array.isArray(operand)
    ? operand
    : typeof operand === 'string'
      ? operand.split(',')
      : [operand];
  return listed.map(trimmed).filter((one) => one !== '');
}

function idIn(operand: Operand): number | undefined {
  const id = typeof operand === 'string' && /^\d{1,15}$/.test(operand) ? Number(operand) : operand;
  return typeof id === 'number' && id >= 0 ? id : undefined;
}

export function parseSearchWords(search: string): SearchWords[] {
  const found = search.matchAll(/"([^"]*)"|([^\s"]+)/g);
  return [...found]
    .map(([, quoted, bare]) => ({ text: (quoted ?? bare ?? '').trim(), phrase: quoted !== undefined }))
    .filter(({ text }) => text !== '');
}
