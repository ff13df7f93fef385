import type { Site } from './site.ts';
import { ERRORS_URL, EVENTS_URL, errorUrl, eventUrl, OBJECTS_URL, objectUrl, operationUrl } from './urls.ts';

interface Link {
  label: string;
  link: string;
  badge?: { text: string; class: string };
  attrs?: { class: string };
}

interface Section {
  label: string;
  collapsed?: boolean;
  items: (Link | Section)[];
}

/** Paths in the sidebar are without the base; Starlight adds it. */
const local = (url: string): string => url.replace(/^\/docs/, '');

/** Adds a zero-width space after each underscore, where the browser can break a long name. */
const breakable = (name: string): string => name.replaceAll('_', '_\u200b');

/** The part of the sidebar that the document determines. */
export function referenceSidebar(site: Site): Section[] {
  const groups = site.groups.map(({ title, operations }) => ({
    label: title,
    collapsed: true,
    items: operations.map(({ id, summary, method }) => ({
      label: summary,
      link: local(operationUrl(id)),
      badge: { text: method === 'delete' ? 'DEL' : method.toUpperCase(), class: `method method-${method}` },
    })),
  }));
  const code = { class: 'code-link' };
  return [
    { label: 'Reference', items: [{ label: 'Permissions', link: '/reference/permissions/' }, ...groups] },
    {
      label: 'Objects',
      collapsed: true,
      items: [
        { label: 'All objects', link: local(OBJECTS_URL) },
        ...site.objects.map(({ name }) => ({ label: name, link: local(objectUrl(name)), attrs: code })),
      ],
    },
    {
      label: 'Event types',
      collapsed: true,
      items: [
        { label: 'All event types', link: local(EVENTS_URL) },
        ...site.events.map(({ type }) => ({ label: breakable(type), link: local(eventUrl(type)), attrs: code })),
      ],
    },
    {
      label: 'Error codes',
      collapsed: true,
      items: [
        { label: 'All error codes', link: local(ERRORS_URL) },
        ...site.errors.map((error) => ({
          label: breakable(error.code),
          link: local(errorUrl(error.code)),
          attrs: code,
        })),
      ],
    },
  ];
}
