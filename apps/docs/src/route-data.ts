// What a component of a guide makes has no headings as far as Starlight knows: "On this page" gets them here.
import { defineRouteMiddleware } from '@astrojs/starlight/route-data';
import { headingsOf } from './model/statements.ts';
import { sections } from './repository-data.ts';

export const onRequest = defineRouteMiddleware(({ locals }) => {
  const { id, toc } = locals.starlightRoute;
  if (id === 'statements') toc?.items.push(...headingsOf(sections).map((heading) => ({ ...heading, children: [] })));
});
