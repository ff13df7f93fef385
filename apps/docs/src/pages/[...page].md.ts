import { getCollection } from 'astro:content';
import type { APIRoute } from 'astro';
import { site } from '../document.ts';
import { errorNames, eventNames, guideNames, objectNames } from '../model/indexes.ts';
import * as markdownPages from '../model/markdown-pages.ts';
import {
  BASE,
  ERRORS_URL,
  EVENTS_URL,
  errorUrl,
  eventUrl,
  GUIDES_URL,
  markdownUrl,
  OBJECTS_URL,
  objectUrl,
  operationUrl,
} from '../model/urls.ts';
import { collectionLimits, glossary, requestLimits, results, sections, variables } from '../repository-data.ts';

const at = (url: string, text: string) => ({
  params: { page: markdownUrl(url).slice(BASE.length + 1, -'.md'.length) },
  props: { text },
});

export async function getStaticPaths() {
  const guides = await getCollection('docs');
  const tables = markdownPages.renderGuideTables({
    results,
    sections,
    glossary,
    variables,
    collectionLimits,
    requestLimits,
  });
  return [
    ...guides.map(({ id, data, body = '' }) => {
      const url = id === 'index' ? `${BASE}/` : `${BASE}/${id}/`;
      return at(
        url,
        markdownPages.renderGuide(site, { title: data.title, description: data.description ?? '', body, url }, tables),
      );
    }),
    at(`${BASE}/reference/`, markdownPages.renderReference(site)),
    at(`${BASE}/reference/who-may/`, markdownPages.renderPermissions(site)),
    at(`${BASE}/changelog/`, markdownPages.renderChangelog(site)),
    at(OBJECTS_URL, markdownPages.renderIndex('Objects', objectNames(site))),
    at(EVENTS_URL, markdownPages.renderIndex('Event types', eventNames(site))),
    at(ERRORS_URL, markdownPages.renderIndex('Error codes', errorNames(site))),
    at(GUIDES_URL, markdownPages.renderIndex('Guides', guideNames(guides))),
    ...site.operations.map((page) => at(operationUrl(page.id), markdownPages.renderOperation(page))),
    ...site.objects.map((page) => at(objectUrl(page.name), markdownPages.renderObject(page))),
    ...site.events.map((page) => at(eventUrl(page.type), markdownPages.renderEvent(page))),
    ...site.errors.map((page) => at(errorUrl(page.code), markdownPages.renderError(page))),
  ];
}

export const GET: APIRoute<{ text: string }> = ({ props }) =>
  new Response(props.text, { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } });
