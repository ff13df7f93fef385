import { getCollection } from 'astro:content';
import type { APIRoute } from 'astro';
import { site } from '../document.ts';
import { collectionLimits, requestLimits, results, sections, variables } from '../kept.ts';
import { errorNames, eventNames, guideNames, objectNames } from '../model/indexes.ts';
import * as twins from '../model/twins.ts';
import {
  BASE,
  ERRORS_URL,
  EVENTS_URL,
  errorUrl,
  eventUrl,
  GUIDES_URL,
  OBJECTS_URL,
  objectUrl,
  operationUrl,
  twinOf,
} from '../model/urls.ts';

const at = (url: string, text: string) => ({
  params: { twin: twinOf(url).slice(BASE.length + 1, -'.md'.length) },
  props: { text },
});

export async function getStaticPaths() {
  const guides = await getCollection('docs');
  const tables = twins.keptTables({ results, sections, variables, collectionLimits, requestLimits });
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
    at(OBJECTS_URL, twins.indexTwin('Objects', objectNames(site))),
    at(EVENTS_URL, twins.indexTwin('Event types', eventNames(site))),
    at(ERRORS_URL, twins.indexTwin('Error codes', errorNames(site))),
    at(GUIDES_URL, twins.indexTwin('Guides', guideNames(guides))),
    ...site.operations.map((page) => at(operationUrl(page.id), twins.operationTwin(page))),
    ...site.objects.map((page) => at(objectUrl(page.name), twins.objectTwin(page))),
    ...site.events.map((page) => at(eventUrl(page.type), twins.eventTwin(page))),
    ...site.errors.map((page) => at(errorUrl(page.code), twins.errorTwin(page))),
  ];
}

export const GET: APIRoute<{ text: string }> = ({ props }) =>
  new Response(props.text, { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } });
