import type { Site } from './site.ts';
import { errorUrl, eventUrl, markdownUrl, objectUrl, operationUrl } from './urls.ts';

/** The list of all Markdown pages, for programs: the text of `llms.txt`. */
export function renderLlmsTxt(
  site: Site,
  guides: readonly { title: string; url: string; description: string }[],
): string {
  const line = (title: string, url: string, about: string) =>
    `- [${title}](${markdownUrl(url)})${about && `: ${about}`}`;
  return `${[
    '# Parley',
    '> Team messaging over HTTP. The OpenAPI document that the server enforces is at /openapi.json; every page is available as Markdown at the same address with .md.',
    '## Guides',
    guides.map(({ title, url, description }) => line(title, url, description)).join('\n'),
    '## Operations',
    site.operations
      .map((one) => line(one.summary, operationUrl(one.id), `\`${one.method.toUpperCase()} ${one.path}\``))
      .join('\n'),
    '## Objects',
    site.objects.map(({ name, description }) => line(name, objectUrl(name), firstLine(description))).join('\n'),
    '## Events',
    site.events.map(({ type, summary }) => line(type, eventUrl(type), firstLine(summary))).join('\n'),
    '## Errors',
    site.errors.map(({ code, meaning }) => line(code, errorUrl(code), firstLine(meaning))).join('\n'),
  ].join('\n\n')}\n`;
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
