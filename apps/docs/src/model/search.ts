/** One page as the search box knows it. */
export interface SearchEntry {
  title: string;
  url: string;
  kind: 'guide' | 'operation' | 'event' | 'error' | 'object';
  /** Stands before the title: a method, or a status. */
  mark?: string;
  /** Stands below the title. */
  about: string;
  /** What else the page is known by, whole: `POST /messages`, a status. */
  keys?: string[];
  /** The headings of a long page. */
  headings?: string;
  /** What is searched besides: names of parameters, the text itself. */
  text: string;
}

export interface Hit {
  entry: SearchEntry;
  score: number;
}

/**
 * The pages that have every word asked for, best first. A word counts most in the title, then in headings, and more at the start
 * of a word. Whatever is asked for by its whole name or address comes before everything else.
 */
export function search(entries: readonly SearchEntry[], query: string, most = 12): Hit[] {
  const words = split(query);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most);
}

function scoreOf({ title, keys = [], headings = '', text }: SearchEntry, words: string[]): number {
  const parts = [
    [plain(title), 20],
    [plain(`${keys.join(' ')} ${headings}`), 10],
    [plain(text), 4],
  ] as const;
  let score = 0;
  for (const word of words) {
    const found = parts.map(([part, weight]) => inText(part, word, weight)).find((one) => one > 0);
    if (found === undefined) return 0;
    score += found;
  }
  const whole = words.join(' ');
  const isMeant = [title, ...keys].some((name) => name.toLowerCase() === whole);
  return isMeant ? score + 50 : score - title.length / 100;
}

function inText(text: string, word: string, weight: number): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  const starts = new RegExp(`(^|[^a-z0-9])${word.replace(/[^a-z0-9]/g, '\\$&')}`).test(text);
  return starts ? weight : weight / 4;
}

/** Lower case, with names such as `sendMessage` and `stream_id` also as separate words. */
function plain(text: string): string {
  const lower = text.toLowerCase();
  const apart = text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return apart === lower ? lower : `${lower} ${apart}`;
}

const split = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
