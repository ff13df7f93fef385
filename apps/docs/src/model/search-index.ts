import type { Entry } from './search.ts';
import type { Site } from './site.ts';
import { errorUrl, eventUrl, objectUrl, operationUrl } from './urls.ts';

/** The reference pages as the search box knows them. */
export function referenceEntries(site: Site): Entry[] {
  return [
    ...site.operations.map((page) => ({
      title: page.summary,
      url: operationUrl(page.id),
      kind: 'operation' as const,
      mark: page.method.toUpperCase(),
      about: page.path,
      text: [
        page.id,
        page.path,
        ...page.parameters.flatMap(({ fields }) => fields.map(({ name }) => name)),
        page.description,
      ].join(' '),
    })),
    ...site.events.map((page) => ({
      title: page.type,
      url: eventUrl(page.type),
      kind: 'event' as const,
      mark: 'event',
      about: page.summary,
      text: page.variants.flatMap(({ ops, description }) => [...ops, description]).join(' '),
    })),
    ...site.objects.map((page) => ({
      title: page.name,
      url: objectUrl(page.name),
      kind: 'object' as const,
      mark: 'object',
      about: page.description,
      text: [page.description, ...page.fields.map(({ name }) => name)].join(' '),
    })),
    ...site.errors.map((page) => ({
      title: page.code,
      url: errorUrl(page.code),
      kind: 'error' as const,
      mark: String(page.status),
      about: page.meaning,
      text: page.meaning,
    })),
  ];
}

/** A guide's Markdown without its marks, for the search box. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^import .*$/gm, '')
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[#`*|>{}]|:::\w*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
