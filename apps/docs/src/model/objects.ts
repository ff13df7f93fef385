import {
  type ChangeNote,
  type Document,
  getConstant,
  listBranches,
  listOperations,
  listReferencedSchemas,
} from '@parley/openapi/document';
import { exampleOf } from './example.ts';
import { type Field, fieldsOf, isObject } from './fields.ts';
import { pretty } from './json.ts';
import { recordedObjects } from './recorded.ts';

/** An object schema that several responses, events or requests share. */
export interface ObjectPage {
  name: string;
  description: string;
  fields: Field[];
  example: { json: string; made: boolean };
  changes: ChangeNote[];
  /** Operations whose parameters or responses contain it, at any depth. */
  operations: { id: string; summary: string }[];
  events: string[];
}

export function objectPages(doc: Document): ObjectPage[] {
  const reach = new Map(
    listOperations(doc).map(({ operation }) => [operation, listReferencedSchemas(doc, successOf(operation))]),
  );
  const events = (doc.components.schemas.Event ? listBranches(doc, doc.components.schemas.Event) : []).map(
    (schema) => [String(getConstant(doc, schema, 'type')), listReferencedSchemas(doc, schema)] as const,
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

/** The parameters and the successful response of an operation. */
const successOf = (operation: { requestBody?: unknown; parameters?: unknown; responses: Record<string, unknown> }) => [
  operation.parameters,
  operation.requestBody,
  operation.responses['200'],
];
