import type { Site } from './site.ts';
import { BASE, errorUrl, eventUrl, GUIDES_URL, objectUrl } from './urls.ts';
import { firstSentence } from './words.ts';

/** A page in the list of its kind. */
export interface Named {
  name: string;
  url: string;
  about: string;
}

/** A guide, as the pages are written. */
export interface GuideEntry {
  id: string;
  data: { title: string; description?: string | undefined };
}

export const objectNames = ({ objects }: Site): Named[] =>
  objects.map(({ name, description }) => ({ name, url: objectUrl(name), about: firstSentence(description) }));

export const eventNames = ({ events }: Site): Named[] =>
  events.map(({ type, summary }) => ({ name: type, url: eventUrl(type), about: summary }));

export const errorNames = ({ errors }: Site): Named[] =>
  errors.map(({ code, meaning }) => ({ name: code, url: errorUrl(code), about: firstSentence(meaning) }));

export const guideNames = (entries: readonly GuideEntry[]): Named[] =>
  entries
    .map(({ id, data }) => ({ name: data.title, url: `${BASE}/${id}/`, about: data.description ?? '' }))
    .filter(({ url }) => url.startsWith(GUIDES_URL));
