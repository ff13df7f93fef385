import { branchesOf, type Change, type Document, resolve, type Schema } from './document.ts';
import { exampleOf } from './example.ts';
import { type Field, fieldsOf } from './fields.ts';
import { pretty } from './json.ts';
import type { Shown } from './shown.ts';
import { valuesOf } from './words.ts';

/** What a queue delivers under one `type`; one variant for each shape it has. */
export interface EventPage {
  type: string;
  summary: string;
  variants: EventVariant[];
}

export interface EventVariant {
  /** Values of `op`; empty for events that have none. */
  ops: string[];
  description: string;
  fields: Field[];
  example: Shown;
  changes: Change[];
}

/** Every event type of the document, in its order. */
export function eventPages(doc: Document): EventPage[] {
  const union = doc.components.schemas.Event;
  const pages = new Map<string, EventVariant[]>();
  for (const schema of union ? branchesOf(doc, union) : []) {
    const type = String(schema.properties?.type?.const ?? 'unknown');
    pages.set(type, [...(pages.get(type) ?? []), variantOf(doc, schema)]);
  }
  return [...pages].map(([type, variants]) => ({
    type,
    summary: variants[0]?.description ?? '',
    variants,
  }));
}

function variantOf(doc: Document, schema: Schema): EventVariant {
  const op = schema.properties?.op;
  const example = { ...(exampleOf(doc, schema) as object), id: 31 };
  return {
    ops: op ? valuesOf(resolve(doc, op)).map(String) : [],
    description: schema.description ?? '',
    fields: fieldsOf(doc, schema),
    example: { title: schema.description ?? '', json: pretty(example), made: !schema.examples?.length },
    changes: schema['x-changes'] ?? [],
  };
}
