import { isForbiddenInFullNames } from './names.ts';

export type Mention =
  | { kind: 'person'; name: string; id?: number; silent: boolean }
  | { kind: 'group'; name: string; silent: boolean }
  | { kind: 'stream_wildcard'; name: string; silent: boolean }
  | { kind: 'topic_wildcard'; name: string; silent: boolean }
  | { kind: 'stream'; name: string; topic?: string };

export interface MentionFound {
  mention: Mention;
  /** The index of the text after the mention. */
  end: number;
}

export const STREAM_WILDCARDS: readonly string[] = ['all', 'everyone', 'stream'];
export const TOPIC_WILDCARD = 'topic';

/**
 * No name is longer than this many UTF-16 units: the longest form is a full name of 100 code points and an id, or
 * a stream, a topic and its prefix. The bound keeps a text full of openings from being scanned to its end each time.
 */
const LONGEST_INSIDE = 300;

/** The mention that begins exactly at `start`; undefined if the text there is ordinary. */
export function parseMentionAt(text: string, start: number, limit = text.length): MentionFound | undefined {
  const sign = text[start];
  if (sign === '#') return found(text, start + 1, limit, '**', streamNamed);
  if (sign !== '@') return undefined;
  const silent = text[start + 1] === '_';
  const open = silent ? start + 2 : start + 1;
  return (
    found(text, open, limit, '**', (inside) => userOrWildcard(inside, silent)) ??
    found(text, open, limit, '*', (inside) => groupNamed(inside, silent))
  );
}

function found(
  text: string,
  open: number,
  limit: number,
  marks: '*' | '**',
  read: (inside: string) => Mention | undefined,
): MentionFound | undefined {
  if (!text.startsWith(marks, open)) return undefined;
  const from = open + marks.length;
  const near = text.slice(from, Math.min(limit, from + LONGEST_INSIDE + marks.length));
  const length = near.indexOf(marks);
  if (length <= 0) return undefined;
  const inside = near.slice(0, length);
  const mention = inside.includes('\n') ? undefined : read(inside);
  return mention && { mention, end: from + length + marks.length };
}

function userOrWildcard(inside: string, silent: boolean): Mention | undefined {
  if (STREAM_WILDCARDS.includes(inside)) return { kind: 'stream_wildcard', name: inside, silent };
  if (inside === TOPIC_WILDCARD) return { kind: 'topic_wildcard', name: inside, silent };
  for (const character of inside) if (isForbiddenInFullNames(character)) return undefined;
  const bar = inside.lastIndexOf('|');
  const id = idIn(inside.slice(bar + 1));
  if (bar < 0 || id === undefined) return { kind: 'person', name: inside, silent };
  return { kind: 'person', name: inside.slice(0, bar), id, silent };
}

function idIn(digits: string): number | undefined {
  if (!/^\d+$/.test(digits)) return undefined;
  const id = Number(digits);
  return Number.isSafeInteger(id) ? id : undefined;
}

function groupNamed(inside: string, silent: boolean): Mention | undefined {
  return inside.includes('`') ? undefined : { kind: 'group', name: inside, silent };
}

function streamNamed(inside: string): Mention | undefined {
  const arrow = inside.indexOf('>');
  if (arrow < 0) return { kind: 'stream', name: inside };
  const [name, topic] = [inside.slice(0, arrow), inside.slice(arrow + 1)];
  return name && topic ? { kind: 'stream', name, topic } : undefined;
}
