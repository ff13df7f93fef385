import { createLinkifierBudget, type LinkifierBudget } from './linkifiers.ts';
import { countHtmlBytes, type Token } from './parser.ts';
import { directoryOf, type MentionDirectory, type RenderFacts } from './render-facts.ts';
import type { TimeBudget } from './time-limit.ts';

/** Bytes of HTML that emoji, mentions, links of the organization, colors of code and previews may add to a text: for each of its bytes, and in any case. */
const ADDED = { per_byte: 10, least: 20_000 };
/** The same for formulas, whose HTML says where each character stands: a fraction of 12 characters has 1,500 bytes. */
const ADDED_BY_MATH = { per_byte: 40, least: 100_000 };
/** Processor time for formulas and colors of code together. An ordinary one takes less than 1 ms. */
const LIBRARY_MS = 150;
const MOST_PREVIEWS = 10;

/** A file that a text links: the number of its organization, and its key. */
export interface LinkedUpload {
  readonly realm_id: number;
  readonly key: string;
}

/** A text being rendered: what is known, and what has been found so far. */
export interface RenderState {
  facts: RenderFacts;
  directory: MentionDirectory;
  budget: LinkifierBudget;
  time: TimeBudget;
  /** Bytes of HTML that may still be added. What has no room stays as it was typed. */
  room: number;
  mathRoom: number;
  people: Set<number>;
  groups: Set<number>;
  /** By organization and key. */
  uploads: Map<string, LinkedUpload>;
  previews: { left: number; shown: Set<string> };
  flags: {
    stream_wildcard: boolean;
    topic_wildcard: boolean;
    has_link: boolean;
    has_image: boolean;
    has_attachment: boolean;
  };
}

export function createRenderState(content: string, facts: RenderFacts): RenderState {
  const bytes = Buffer.byteLength(content);
  return {
    facts,
    directory: directoryOf(facts),
    budget: createLinkifierBudget(),
    time: { ms: LIBRARY_MS },
    room: ADDED.least + ADDED.per_byte * bytes,
    mathRoom: ADDED_BY_MATH.least + ADDED_BY_MATH.per_byte * bytes,
    people: new Set(),
    groups: new Set(),
    uploads: new Map(),
    previews: { left: MOST_PREVIEWS, shown: new Set() },
    flags: {
      stream_wildcard: false,
      topic_wildcard: false,
      has_link: false,
      has_image: false,
      has_attachment: false,
    },
  };
}

/** Takes the room for these; false if there is too little. */
export function reserveHtmlBytes(draft: RenderState, tokens: Token[]): boolean {
  return reserveBytes(draft, countHtmlBytes(tokens));
}

export function reserveBytes(draft: RenderState, bytes: number): boolean {
  if (bytes > draft.room) return false;
  draft.room -= bytes;
  return true;
}
