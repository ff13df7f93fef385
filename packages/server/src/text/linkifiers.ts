import type { Linkifier } from './facts.ts';
import { isWebLink } from './links.ts';
import { normalizeLink } from './parser.ts';

/** What linkifiers may cost one message, however many there are and whatever it says. */
export interface LinkifierBudget {
  links: number;
  characters: number;
}

export function linkifierBudget(): LinkifierBudget {
  return { links: 200, characters: 500_000 };
}

/** Charged for each look besides the text's length: a thousand short lines cost more than one long line. */
const COST_OF_A_LOOK = 16;
const LONGEST_URL = 2000;

export interface LinkFound {
  start: number;
  end: number;
  url: string;
}

/** The links in a text, from left to right. An earlier linkifier keeps what a later one would overlap. */
export function linksIn(text: string, linkifiers: readonly Linkifier[], budget: LinkifierBudget): LinkFound[] {
  const links: LinkFound[] = [];
  const taken = new Uint8Array(text.length);
  for (const linkifier of linkifiers) {
    const cost = text.length + COST_OF_A_LOOK;
    if (budget.links <= 0 || budget.characters < cost) break;
    budget.characters -= cost;
    for (const { start, end, url } of fromTheLeft(linkifier.find(text), text.length)) {
      const href = safeUrl(url);
      if (budget.links <= 0) break;
      if (href === undefined || taken.subarray(start, end).includes(1)) continue;
      taken.fill(1, start, end);
      budget.links -= 1;
      links.push({ start, end, url: href });
    }
  }
  return links.sort((one, other) => one.start - other.start);
}

/** Links that a topic's text yields through the linkifiers. */
export function topicLinks(topic: string, linkifiers: readonly Linkifier[]): { text: string; url: string }[] {
  const links = linksIn(topic, linkifiers, linkifierBudget());
  return links.map(({ start, end, url }) => ({ text: topic.slice(start, end), url }));
}

/** An empty match, as of the pattern `x*`, or one out of range is passed over. */
function fromTheLeft(found: readonly LinkFound[], length: number): LinkFound[] {
  return found
    .filter(({ start, end }) => Number.isInteger(start) && Number.isInteger(end))
    .filter(({ start, end }) => 0 <= start && start < end && end <= length)
    .sort((one, other) => one.start - other.start);
}

function safeUrl(url: string): string | undefined {
  if (url.length > LONGEST_URL) return undefined;
  const href = normalizeLink(url);
  return isWebLink(href) ? href : undefined;
}
