import type { ChangeNote } from '@parley/openapi/document';
import type { EventPage } from './events.ts';
import type { Field } from './fields.ts';
import type { ObjectPage } from './objects.ts';
import type { OperationPage } from './operations.ts';
import { eventUrl, objectUrl, operationUrl, REFERENCE_URL } from './urls.ts';

/** The changes of one feature level, with links. */
export interface Level {
  level: number;
  changes: { where: string; url: string; text: string }[];
}

/** The changes of each feature level in the document, the newest level first. */
export function levelsOf(
  whole: ChangeNote[],
  operations: OperationPage[],
  events: EventPage[],
  objects: ObjectPage[],
): Level[] {
  const marked = [
    ...within('The API', REFERENCE_URL, whole, []),
    ...operations.flatMap((page) => {
      const fields = [...page.parameters.flatMap((group) => group.fields), ...page.response.fields];
      return within(page.summary, operationUrl(page.id), page.changes, fields);
    }),
    ...events.flatMap(({ type, variants }) =>
      variants.flatMap(({ changes, fields }) => within(`Event ${type}`, eventUrl(type), changes, fields)),
    ),
    ...objects.flatMap(({ name, changes, fields }) => within(name, objectUrl(name), changes, fields)),
  ];
  const levels = [...new Set(marked.map(({ level }) => level))].toSorted((a, b) => b - a);
  const of = (level: number) => marked.filter((one) => one.level === level).map(({ level: _, ...change }) => change);
  return levels.map((level) => ({ level, changes: of(level) }));
}

type Marked = Level['changes'][number] & { level: number };

function within(where: string, url: string, changes: ChangeNote[], fields: Field[]): Marked[] {
  const own = changes.map(({ level, text }) => ({ level, where, url, text }));
  // Changes inside an object with a page of its own are on that page only.
  const inside = (field: Field) => (field.object === undefined ? field.fields : []);
  return [...own, ...fields.flatMap((field) => within(`${where}: ${field.name}`, url, field.changes, inside(field)))];
}
