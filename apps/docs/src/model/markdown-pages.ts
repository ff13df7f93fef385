import { callerKinds } from '@parley/openapi/document';
import { withMarkdownLinks } from './behaviour.ts';
import { type Benchmarks, shownRows, summary } from './benchmarks.ts';
import { catchSample } from './catch-sample.ts';
import type { ErrorPage } from './errors.ts';
import type { EventPage } from './events.ts';
import type { Field } from './fields.ts';
import type { GlossarySection } from './glossary.ts';
import { type Guide, outsideFences } from './guides.ts';
import type { IndexEntry } from './indexes.ts';
import type { ObjectPage } from './objects.ts';
import type { OperationPage } from './operations.ts';
import { groupByOutcome, permissionsNote } from './permissions.ts';
import { listReaderGroups } from './reader-groups.ts';
import { collectionLimitLines, type ReferenceTables, requestLimitLines, variableLines } from './reference-tables.ts';
import type { Reproduction } from './reproduction.ts';
import { scopeLines } from './scopes.ts';
import type { Site } from './site.ts';
import { counts, type Section, shortName } from './statements.ts';
import { errorUrl, eventUrl, markdownUrl, objectUrl, operationUrl, REFERENCE_URL } from './urls.ts';

// The pages as Markdown, for those who read with a program.

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;
const joined = (parts: (string | undefined | false)[]): string =>
  `${parts.filter((part) => part !== undefined && part !== false && part !== '').join('\n\n')}\n`;

function fieldLines(fields: readonly Field[], of: 'request' | 'answer', indent = ''): string {
  return fields
    .map((field) => {
      const mark = of === 'request' ? field.required && ', required' : !field.required && ', optional';
      const words = [field.type, field.limits].filter((text) => text !== '').join(', ');
      const about = field.description.replace(/\s*\n\s*/g, ' ');
      const values = field.values.length > 0 && `One of ${field.values.map((value) => `\`${value}\``).join(', ')}.`;
      const unless = field.default !== undefined && `Default \`${field.default}\`.`;
      const text = [about, values, unless].filter(Boolean).join(' ');
      const own = `${indent}- \`${field.name}\` (${words}${mark || ''}${field.deprecated ? ', deprecated' : ''})${text && `: ${text}`}`;
      return field.fields.length > 0 ? `${own}\n${fieldLines(field.fields, of, `${indent}  `)}` : own;
    })
    .join('\n');
}

export function renderOperation(page: OperationPage): string {
  return joined([
    `# ${page.summary}`,
    `\`${page.method.toUpperCase()} /api/v1${page.path}\` (\`${page.id}\`)`,
    page.deprecated && 'Deprecated: new clients should not use it.',
    page.description,
    `Who may call it: ${page.access.who}. ${page.access.note}`.trim(),
    '## Parameters',
    page.parameters.length === 0 && 'None.',
    ...page.parameters.flatMap(({ title, fields }) => [`### ${title}`, fieldLines(fields, 'request')]),
    '## Samples',
    ...page.samples.map(({ language, code }) => fence(language === 'shell' ? 'sh' : language, code)),
    '## Response',
    page.response.description,
    fieldLines(page.response.fields, 'answer'),
    ...page.response.examples.flatMap(({ title, json }) => [`Example: ${title}.`, fence('json', json)]),
    '## Who may call it',
    permissionsNote,
    groupByOutcome(page.permissions)
      .map(({ errorCode, who }) => `- ${errorCode === undefined ? 'May' : `\`${errorCode}\``}: ${who.join(', ')}`)
      .join('\n'),
    '## Errors',
    ...page.errors.flatMap(({ status, code, meaning, reasons, example }) => [
      `### ${code} (HTTP ${status})`,
      meaning,
      reasons.length > 0 && `Reasons here: ${reasons.map((reason) => `\`${reason}\``).join(', ')}.`,
      fence('json', example.json),
    ]),
  ]);
}

export function renderError(page: ErrorPage): string {
  return joined([
    `# ${page.code}`,
    `HTTP status ${page.status}. ${page.meaning}`,
    page.extraFields.length > 0 && `## Fields beside the code\n\n${fieldLines(page.extraFields, 'answer')}`,
    page.reproduction ? renderReproduction(page.reproduction) : `## Example\n\n${fence('json', page.example.json)}`,
    '## Catch it',
    fence('ts', catchSample(page)),
    page.operations.length > 0 && '## Operations',
    page.operations.map(({ id, summary }) => `- [${summary}](${markdownUrl(operationUrl(id))})`).join('\n'),
  ]);
}

const renderReproduction = ({ title, steps, json }: Reproduction): string =>
  [
    `## How it comes about\n\n${title}:`,
    steps
      .map(({ who, id, summary, address, sent }, n) => {
        const call = summary === undefined ? id : `[${summary}](${markdownUrl(operationUrl(id))})`;
        const texts = sent.map((text) => `\`${text}\``).join(' ');
        return `${n + 1}. ${who}: ${call}${address === undefined ? '' : ` \`${address}\``}${texts && `, sending ${texts}`}`;
      })
      .join('\n'),
    'The answer to the last call:',
    fence('json', json),
  ].join('\n\n');

export function renderEvent({ type, summary, variants }: EventPage): string {
  return joined([
    `# Event ${type}`,
    summary,
    ...variants.flatMap(({ ops, kind, description, fields, examples }) => [
      ops.length > 0 ? `## op: ${ops.join(', ')}${kind && ` (${kind})`}` : '## Fields',
      description,
      fieldLines(fields, 'answer'),
      ...examples.flatMap(({ title, json }) => [`Example: ${title}.`, fence('json', json)]),
    ]),
  ]);
}

export function renderObject({ name, description, fields, example, operations, events }: ObjectPage): string {
  const links = [
    ...operations.map(({ id, summary }) => `- [${summary}](${markdownUrl(operationUrl(id))})`),
    ...events.map((type) => `- event [${type}](${markdownUrl(eventUrl(type))})`),
  ];
  return joined([
    `# ${name}`,
    description,
    '## Fields',
    fieldLines(fields, 'answer'),
    '## Example',
    fence('json', example.json),
    links.length > 0 && '## Where it occurs',
    links.join('\n'),
  ]);
}

export function renderReference({ level, groups }: Site): string {
  return joined([
    '# Reference',
    `Every operation. This is feature level ${level}. The document itself is at /openapi.json and /openapi.yaml.`,
    ...groups.flatMap(({ title, description, operations }) => [
      `## ${title}`,
      description,
      operations
        .map(
          (one) =>
            `- [${one.summary}](${markdownUrl(operationUrl(one.id))}): \`${one.method.toUpperCase()} ${one.path}\``,
        )
        .join('\n'),
    ]),
  ]);
}

export const renderIndex = (title: string, rows: readonly IndexEntry[]): string =>
  joined([
    `# ${title}`,
    rows.map(({ name, url, about }) => `- [${name}](${markdownUrl(url)})${about && `: ${about}`}`).join('\n'),
  ]);

export function renderPermissions({ operations }: Site): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = operations.map(({ summary, permissions }) =>
    row([summary, ...permissions.map(({ errorCode }) => errorCode ?? 'may')]),
  );
  const head = ['Operation', ...callerKinds];
  return joined(['# Permissions', permissionsNote, [row(head), row(head.map(() => '---')), ...lines].join('\n')]);
}

export function renderChangelog({ level: newest, levels }: Site): string {
  return joined([
    '# API changelog',
    ...levels.flatMap(({ level, changes }) => [
      `## Level ${level}`,
      changes.map(({ where, text }) => `- ${where}: ${text}`).join('\n'),
    ]),
    levels.length === 0 && `## Level ${newest}\n\nThe first level of Parley: everything in the reference.`,
  ]);
}

const COMPONENTS: Record<string, (site: Site) => string> = {
  ErrorTable: ({ errors }) =>
    errors
      .map(({ code, status, meaning }) => `- [${code}](${markdownUrl(errorUrl(code))}) (HTTP ${status}): ${meaning}`)
      .join('\n'),
  EventTable: ({ events }) =>
    events.map(({ type, summary }) => `- [${type}](${markdownUrl(eventUrl(type))}): ${summary}`).join('\n'),
  ScopeTable: scopeLines,
  ReaderGroups: (site) =>
    [
      ...listReaderGroups(site).flatMap(({ title, text, links }) => [
        `## ${title}`,
        text,
        links.map(({ label, url }) => `- [${label}](${markdownUrl(url)})`).join('\n'),
      ]),
      '## The API',
      `By topic, in the [reference](${markdownUrl(REFERENCE_URL)}):`,
      site.groups.map(({ title, description }) => `- ${title}: ${description}`).join('\n'),
    ].join('\n\n'),
};

/** The tables of pages that come from elsewhere than the document, by the name of what shows them. */
export interface GuideTables extends ReferenceTables {
  results: Benchmarks | undefined;
  sections: readonly Section[];
  glossary: readonly GlossarySection[];
}

export const renderGuideTables = ({
  results,
  sections,
  glossary,
  variables,
  collectionLimits,
  requestLimits,
}: GuideTables): Record<string, string> => ({
  ...(results && { Benchmarks: benchmarkLines(results) }),
  Statements: statementLines(sections),
  Glossary: glossaryLines(glossary),
  VariableTable: variableLines(variables),
  CollectionLimitTable: collectionLimitLines(collectionLimits),
  RequestLimitTable: requestLimitLines(requestLimits),
});

const glossaryLines = (sections: readonly GlossarySection[]): string =>
  sections
    .map(({ title, terms }) => {
      const lines = terms.map(
        ({ term, meaning, avoid }) => `- ${term}: ${meaning}${avoid === '' ? '' : ` Do not use: ${avoid}.`}`,
      );
      return `## ${title}\n\n${lines.join('\n')}`;
    })
    .join('\n\n');

const benchmarkLines = (results: Benchmarks): string =>
  [
    summary(results).join(' '),
    shownRows(results)
      .map(({ name, compared, result, bar, verdict, figures }) => {
        const judged = verdict === '' ? `bar: ${bar}` : `bar: ${bar}, ${verdict}`;
        return `- \`${name}\` ${compared}: **${result}** (${judged})${figures && `. ${figures}`}`;
      })
      .join('\n'),
  ].join('\n\n');

function statementLines(sections: readonly Section[]): string {
  const { statements, tests } = counts(sections);
  return [
    `${statements} statements, shown by ${tests} tests.`,
    ...sections.flatMap(({ section, title, statements }) => [
      `## ${section} ${title}`,
      statements
        .map(({ id, says, shown_by }) => {
          const shown = shown_by.map(([file, test]) => `  - \`${shortName(file)}\` ${test}`);
          return [`- ${id} ${says}`, ...shown].join('\n');
        })
        .join('\n'),
    ]),
  ].join('\n\n');
}

/** A guide: its own Markdown, with the tables that the page makes, and without what only a page can show. */
export function renderGuide(
  site: Site,
  { title, description, body, url }: Guide,
  tables: Record<string, string> = {},
): string {
  const text = outsideFences(body, (part) =>
    withMarkdownLinks(part)
      .replace(/^import .*\n/gm, '')
      .replace(/^<\/?div[^>]*>\n/gm, '')
      .replace(
        /^<(\w+)[^>]*\/>$/gm,
        (_, name: string) => tables[name] ?? COMPONENTS[name]?.(site) ?? `This part is on [the page](${url}).`,
      ),
  );
  return joined([`# ${title}`, description, text.trim()]);
}

/** What there is, for a program that looks for it. */
export function renderLlmsTxt(
  site: Site,
  guides: readonly { title: string; url: string; description: string }[],
): string {
  const line = (title: string, url: string, about: string) =>
    `- [${title}](${markdownUrl(url)})${about && `: ${about}`}`;
  return joined([
    '# Parley',
    '> Team messaging over HTTP. The OpenAPI document that the server enforces is at /openapi.json; every page here has a twin in Markdown.',
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
  ]);
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
