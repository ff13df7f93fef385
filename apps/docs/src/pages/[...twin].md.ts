import { getCollection } from 'astro:content';
import type { APIRoute } from 'astro';
import { site } from '../document.ts';
import { results, sections } from '../kept.ts';
import * as twins from '../model/twins.ts';
import { BASE, errorUrl, eventUrl, objectUrl, operationUrl, twinOf } from '../model/urls.ts';

const at = (url: string, text: string) => ({
  params: { twin: twinOf(url).slice(BASE.length + 1, -'.md'.length) },
  props: { text },
});

export async function getStaticPaths() {
  const guides = await getCollection('docs');
  const tables = twins.keptTables({ results, sections });
  return [
    ...guides.map(({ id, data, body = '' }) => {
      const url = id === 'index' ? `${BASE}/` : `${BASE}/${id}/`;
      return at(
        url,
        twins.guideTwin(site, { title: data.title, description: data.description ?? '', body, url }, tables),
      );
    }),
    at(`${BASE}/reference/`, twins.referenceTwin(site)),
    at(`${BASE}/reference/who-may/`, twins.whoMayTwin(site)),
    at(`${BASE}/changelog/`, twins.changelogTwin(site)),
    ...site.operations.map((page) => at(operationUrl(page.id), twins.operationTwin(page))),
    ...site.objects.map((page) => at(objectUrl(page.name), twins.objectTwin(page))),
    ...site.events.map((page) => at(eventUrl(page.type), twins.eventTwin(page))),
    ...site.errors.map((page) => at(errorUrl(page.code), twins.errorTwin(page))),
  ];
}

export const GET: APIRoute<{ text: string }> = ({ props }) =>
  new Response(props.text, { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } });
