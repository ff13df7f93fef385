import { getCollection } from 'astro:content';
import type { APIRoute } from 'astro';
import { site } from '../document.ts';
import type { Entry } from '../model/search.ts';
import { plainText, referenceEntries } from '../model/search-index.ts';
import { BASE } from '../model/urls.ts';

export const GET: APIRoute = async () => {
  const guides = await getCollection('docs');
  const entries: Entry[] = guides
    .filter(({ id }) => id !== '404')
    .map(({ id, data, body = '' }) => ({
      title: data.title,
      url: id === 'index' ? `${BASE}/` : `${BASE}/${id}/`,
      kind: 'guide',
      about: data.description ?? '',
      text: `${data.description ?? ''} ${plainText(body)}`.slice(0, 4000),
    }));
  return new Response(JSON.stringify([...entries, ...referenceEntries(site)]), {
    headers: { 'Content-Type': 'application/json' },
  });
};
