import type { APIRoute } from 'astro';
import { site } from '../document.ts';
import { listPages } from '../list-pages.ts';
import { collectionLimitLines, requestLimitLines, variableLines } from '../model/reference-tables.ts';
import { guideEntry, referenceEntries } from '../model/search-index.ts';
import { BASE } from '../model/urls.ts';
import { collectionLimits, requestLimits, variables } from '../repository-data.ts';

export const GET: APIRoute = async () => {
  const guides = (await listPages()).map(({ id, data, body = '' }) =>
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
