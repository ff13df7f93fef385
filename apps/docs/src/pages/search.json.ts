import { getCollection } from 'astro:content';
import type { APIRoute } from 'astro';
import { site } from '../document.ts';
import { collectionLimitLines, requestLimitLines, variableLines } from '../model/markdown-pages.ts';
import { guideEntry, referenceEntries } from '../model/search-index.ts';
import { BASE } from '../model/urls.ts';
import { collectionLimits, requestLimits, variables } from '../repository-data.ts';

export const GET: APIRoute = async () => {
  const guides = (await getCollection('docs'))
    .filter(({ id }) => id !== '404')
    .map(({ id, data, body = '' }) =>
      guideEntry({
        title: data.title,
        description: data.description ?? '',
        body: body
          .replace('<VariableTable />', variableLines(variables))
          .replace('<CollectionLimitTable />', collectionLimitLines(collectionLimits))
          .replace('<RequestLimitTable />', requestLimitLines(requestLimits)),
        url: id === 'index' ? `${BASE}/` : `${BASE}/${id}/`,
      }),
    );
  return new Response(JSON.stringify([...guides, ...referenceEntries(site)]), {
    headers: { 'Content-Type': 'application/json' },
  });
};
