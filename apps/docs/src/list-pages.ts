import { getCollection } from 'astro:content';

/** The guides and the other written pages, in the same order in each build. */
export async function listPages() {
  const pages = await getCollection('docs');
  return pages.filter(({ id }) => id !== '404').sort((one, other) => (one.id < other.id ? -1 : 1));
}
