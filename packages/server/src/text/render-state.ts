import { createLinkifierBudget, type LinkifierBudget } from './linkifiers.ts';
import { countHtmlBytes, type Token } from './parser.ts';
import { directoryOf, type MentionDirectory, type RenderFacts } from './render-facts.ts';
import type { TimeBudget } from './time-limit.ts';

/**
 * Maximum bytes of HTML that emoji, mentions, internal links, code highlighting and previews can add to a text: per
 * byte of it, and a fixed amount.
 */
const ADDED = { per_byte: 10, least: 20_000 };
/** The same for formulas, whose HTML positions each character: a fraction of 12 characters has 1,500 bytes. */
const ADDED_BY_MATH = { per_byte: 40, least: 100_000 };
/** CPU time for formulas and code highlighting together. An ordinary one takes less than 1 ms. */
const LIBRARY_MS = 150;
const MOST_PREVIEWS = 10;

/** A file that a text links: the id of its organization, and its key. */
export interface LinkedUpload {
  readonly realm_id: number;
  readonly key: string;
}

/** The state of rendering a text: the facts, and what was found so far. */
export interface RenderState {
  facts: RenderFacts;
  directory: MentionDirectory;
  budget: LinkifierBudget;
  time: TimeBudget;
  /** Bytes of HTML that can still be added. What has no room stays as typed. */
  room: number;
  mathRoom: number;
  user_ids: Set<number>;
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
    user_ids: new Set(),
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

/** Reserves room for these; returns false if there is too little. */
export function reserveHtmlBytes(draft: RenderState, tokens: Token[]): boolean {
  return reserveBytes(draft, countHtmlBytes(tokens));
}

export function reserveBytes(draft: RenderState, bytes: number): boolean {
  if (bytes > draft.room) return false;
  draft.room -= bytes;
  return true;
}
