import { firstSentence } from './first-sentence.ts';
import type { Site } from './site.ts';
import { BASE, errorUrl, eventUrl, GUIDES_URL, objectUrl } from './urls.ts';

/** A page in a list of pages. */
export interface IndexEntry {
  name: string;
  url: string;
  about: string;
}

/** A guide in the collection of pages. */
export interface GuideEntry {
  id: string;
  data: { title: string; description?: string | undefined };
}

export const objectNames = ({ objects }: Site): IndexEntry[] =>
  objects.map(({ name, description }) => ({ name, url: objectUrl(name), about: firstSentence(description) }));

export const eventNames = ({ events }: Site): IndexEntry[] =>
  events.map(({ type, summary }) => ({ name: type, url: eventUrl(type), about: summary }));

export const errorNames = ({ errors }: Site): IndexEntry[] =>
  errors.map(({ code, meaning }) => ({ name: code, url: errorUrl(code), about: firstSentence(meaning) }));

export const guideNames = (entries: readonly GuideEntry[]): IndexEntry[] =>
  entries
    .map(({ id, data }) => ({ name: data.title, url: `${BASE}/${id}/`, about: data.description ?? '' }))
    .filter(({ url }) => url.startsWith(GUIDES_URL));
