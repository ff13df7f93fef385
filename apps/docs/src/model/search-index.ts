import { type Guide, outsideFences } from './guides.ts';
import type { OperationPage } from './operations.ts';
import type { SearchEntry } from './search.ts';
import type { Site } from './site.ts';
import { errorUrl, eventUrl, objectUrl, operationUrl } from './urls.ts';

/** The path prefix of the API. */
const PREFIX = '/api/v1';

/** The reference pages as the search box knows them. */
export function referenceEntries(site: Site): SearchEntry[] {
  return [
    ...site.operations.map((page) => ({
      title: page.summary,
      url: operationUrl(page.id),
      kind: 'operation' as const,
      mark: page.method.toUpperCase(),
      about: page.path,
      keys: [page.id, ...addressesOf(page)],
      text: [...page.parameters.flatMap(({ fields }) => fields.map(({ name }) => name)), page.description].join(' '),
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
      keys: [String(page.status)],
      text: page.meaning,
    })),
  ];
}

/** The ways in which readers write the address of an operation. */
function addressesOf({ method, path }: OperationPage): string[] {
  const paths = [path, `${PREFIX}${path}`];
  return [...paths, ...paths.map((one) => `${method.toUpperCase()} ${one}`)];
}

/** A guide, from its Markdown. */
export function guideEntry({ title, description, body, url }: Guide): SearchEntry {
  // List items that begin with a name count as headings.
  const headings = [...body.matchAll(/^(?:#{2,} (.*)|- `([^`]+)`.*)$/gm)].map(([, heading, name]) =>
    plainText(heading ?? name ?? ''),
  );
  return {
    title,
    url,
    kind: 'guide',
    about: description,
    headings: headings.join(' '),
    text: `${description} ${plainText(body)}`,
  };
}

/** A guide's Markdown without its marks, for the search box. Code stays: readers search for the names in it. */
export function plainText(markdown: string): string {
  return outsideFences(markdown, (part) =>
    part
      .replace(/^import .*$/gm, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
  )
    .replace(/```\w*|[#`*|>{}]|:::\w*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
