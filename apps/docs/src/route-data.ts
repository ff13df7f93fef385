// Adds the headings that components of a guide render to "On this page": Starlight does not know them.
import { defineRouteMiddleware } from '@astrojs/starlight/route-data';
import { headingsOf } from './model/statements.ts';
import { glossary, sections } from './repository-data.ts';

const glossaryHeadings = glossary.map(({ title, slug }) => ({ depth: 2, slug, text: title }));

export const onRequest = defineRouteMiddleware(({ locals }) => {
  const { id, toc } = locals.starlightRoute;
  const headings = id === 'statements' ? headingsOf(sections) : id === 'glossary' ? glossaryHeadings : [];
  toc?.items.push(...headings.map((heading) => ({ ...heading, children: [] })));
});
