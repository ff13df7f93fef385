import MiniSearch from 'minisearch';

/** One page as the search box knows it. */
export interface SearchEntry {
  title: string;
  url: string;
  kind: 'guide' | 'operation' | 'event' | 'error' | 'object';
  /** Shown before the title: a method or a status. */
  mark?: string;
  /** Shown below the title. */
  about: string;
  /** Other names of the page that match as a whole: `POST /messages`, a status. */
  keys?: string[];
  /** The headings of a long page. */
  headings?: string;
  /** Other text to search: names of parameters, descriptions. */
  text: string;
}

/** Finds the pages for a query, best first. */
export type Search = (query: string, most?: number) => SearchEntry[];

const SPACE_OR_PUNCTUATION = /[\s\p{P}]+/u;
/** Words of this length match with one wrong letter in five. */
const FUZZY_LENGTH = 5;
const FUZZY = 0.2;

/**
 * A page has every word of the query, or one that begins with it or is spelled almost like it. A word counts most in the title, then in headings. A page
 * whose whole name or address is the query comes first.
 */
export function createSearch(entries: readonly SearchEntry[]): Search {
  const index = new MiniSearch<SearchEntry & { id: number }>({
    fields: ['title', 'keys', 'headings', 'text'],
    extractField: (entry, field) => {
      const value = entry[field as keyof SearchEntry];
      return Array.isArray(value) ? value.join(' ') : (value ?? '');
    },
    tokenize: (text) => text.split(SPACE_OR_PUNCTUATION).flatMap((word) => [word, ...partsOf(word)]),
    searchOptions: {
      tokenize: (query) => query.split(SPACE_OR_PUNCTUATION),
      boost: { title: 8, keys: 5, headings: 8 },
      weights: { prefix: 0.3, fuzzy: 0.1 },
      combineWith: 'AND',
      prefix: true,
      fuzzy: (word) => (word.length >= FUZZY_LENGTH ? FUZZY : false),
    },
  });
  index.addAll(entries.map((entry, id) => ({ ...entry, id })));
  return (query, most = 12) => {
    const term = query.trim().toLowerCase().replace(/\s+/g, ' ');
    if (term === '') return [];
    const named = entries.filter(({ title, keys = [] }) =>
      [title, ...keys].some((name) => name.toLowerCase() === term),
    );
    const found = index.search(term).flatMap(({ id }) => entries[id] ?? []);
    return [...new Set([...named, ...found])].slice(0, most);
  };
}

/** The words of a name such as `sendMessage`. */
function partsOf(word: string): string[] {
  const parts = word.split(/(?<=[a-z])(?=[A-Z])/);
  return parts.length > 1 ? parts : [];
}
