import type { Document } from '@parley/openapi/document';
import { type ErrorPage, errorPages } from './errors.ts';
import { type EventPage, eventPages } from './events.ts';
import { type Level, levelsOf } from './levels.ts';
import type { LinkOf } from './markdown.ts';
import { type ObjectPage, objectPages } from './objects.ts';
import { type OperationPage, operationPages } from './operations.ts';
import { errorUrl, eventUrl, operationUrl } from './urls.ts';

/** The pages of the document. */
export interface Site {
  level: string;
  groups: OperationGroup[];
  operations: OperationPage[];
  errors: ErrorPage[];
  events: EventPage[];
  objects: ObjectPage[];
  levels: Level[];
  linkOf: LinkOf;
}

/** The operations of one tag. */
export interface OperationGroup {
  tag: string;
  title: string;
  description: string;
  operations: OperationPage[];
}

export function siteOf(doc: Document): Site {
  const operations = operationPages(doc);
  const errors = errorPages(doc);
  const events = eventPages(doc);
  const objects = objectPages(doc);
  return {
    level: doc.info.version,
    groups: groupsOf(doc, operations),
    operations,
    errors,
    events,
    objects,
    levels: levelsOf(doc.info['x-changes'] ?? [], operations, events, objects),
    linkOf: links(operations, errors, events),
  };
}

function groupsOf(doc: Document, operations: OperationPage[]): OperationGroup[] {
  const described = new Map((doc.tags ?? []).map((tag) => [tag.name, tag.description ?? '']));
  const tags = [...new Set([...described.keys(), ...operations.map(({ tag }) => tag)])];
  return tags
    .map((tag) => ({
      tag,
      title: titleOf(tag),
      description: described.get(tag) ?? '',
      operations: operations.filter((operation) => operation.tag === tag),
    }))
    .filter((group) => group.operations.length > 0);
}

const TITLES: Record<string, string> = { auth: 'Authentication', realm: 'Organization' };

function titleOf(tag: string): string {
  const words = tag.replaceAll('-', ' ');
  return TITLES[tag] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Links names in descriptions to their pages: `GET /events`, error codes, and event types. */
function links(operations: OperationPage[], errors: ErrorPage[], events: EventPage[]): LinkOf {
  const urls = new Map([
    ...operations.map(({ method, path, id }) => [`${method.toUpperCase()} ${path}`, operationUrl(id)] as const),
    ...operations.map(({ id }) => [id, operationUrl(id)] as const),
    ...errors.map(({ code }) => [code, errorUrl(code)] as const),
    ...events
      .filter(({ type }) => type.includes('_') || type === 'heartbeat')
      .map(({ type }) => [type, eventUrl(type)] as const),
  ]);
  return (code) => urls.get(code);
}
