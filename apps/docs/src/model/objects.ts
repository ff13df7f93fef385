import { branchesOf, type ChangeNote, type Document, operationsOf } from './document.ts';
import { exampleOf } from './example.ts';
import { type Field, fieldsOf, isObject } from './fields.ts';
import { pretty } from './json.ts';
import { recordedObjects } from './recorded.ts';

/** A shape that has a name, because several answers, events or requests have it. */
export interface ObjectPage {
  name: string;
  description: string;
  fields: Field[];
  example: { json: string; made: boolean };
  changes: ChangeNote[];
  /** Operations that take or answer it, directly or inside something else. */
  operations: { id: string; summary: string }[];
  events: string[];
}

export function objectPages(doc: Document): ObjectPage[] {
  const reach = new Map(operationsOf(doc).map(({ operation }) => [operation, within(doc, successOf(operation))]));
  const events = (doc.components.schemas.Event ? branchesOf(doc, doc.components.schemas.Event) : []).map(
    (schema) => [String(schema.properties?.type?.const), within(doc, schema)] as const,
  );
  const recorded = recordedObjects(doc);
  const names = Object.keys(doc.components.schemas).filter((name) => isObject(doc, name));
  return names.map((name) => {
    const schema = doc.components.schemas[name] ?? {};
    return {
      name,
      description: schema.description ?? '',
      fields: fieldsOf(doc, schema),
      example: { json: pretty(recorded.get(name) ?? exampleOf(doc, schema)), made: !recorded.has(name) },
      changes: schema['x-changes'] ?? [],
      operations: [...reach]
        .filter(([, found]) => found.has(name))
        .map(([{ operationId, summary }]) => ({ id: operationId, summary: summary ?? operationId })),
      events: [...new Set(events.filter(([, found]) => found.has(name)).map(([type]) => type))],
    };
  });
}

/** What an operation takes, and what it answers when it is done. */
const successOf = (operation: { requestBody?: unknown; parameters?: unknown; responses: Record<string, unknown> }) => [
  operation.parameters,
  operation.requestBody,
  operation.responses['200'],
];

/** The names of all that something refers to. Examples refer to nothing. */
function within(doc: Document, node: unknown, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(node ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    within(doc, doc.components.schemas[name], found);
  }
  return found;
}
