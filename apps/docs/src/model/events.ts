import {
  type ChangeNote,
  type Document,
  getConstant,
  listBranches,
  listValues,
  resolve,
  type SchemaObject,
} from '@parley/openapi/document';
import { exampleOf } from './example.ts';
import { type Field, fieldsOf } from './fields.ts';
import { firstSentence } from './first-sentence.ts';
import { pretty } from './json.ts';
import { type ResponseExample, toMadeExample } from './response-examples.ts';

/** The events of one `type`, with a variant for each schema. */
export interface EventPage {
  type: string;
  summary: string;
  variants: EventVariant[];
}

export interface EventVariant {
  /** Values of `op`; empty for events that have none. */
  ops: string[];
  /** Distinguishes it from a variant with the same values of `op`, such as `direct`; otherwise empty. */
  kind: string;
  description: string;
  fields: Field[];
  examples: ResponseExample[];
  changes: ChangeNote[];
}

/** Every event type of the document, in its order. */
export function eventPages(doc: Document): EventPage[] {
  const union = doc.components.schemas.Event;
  const pages = new Map<string, SchemaObject[]>();
  for (const schema of union ? listBranches(doc, union) : []) {
    const type = String(getConstant(doc, schema, 'type') ?? 'unknown');
    pages.set(type, [...(pages.get(type) ?? []), schema]);
  }
  return [...pages].map(([type, schemas]) => {
    const variants = schemas.map((schema) => variantOf(doc, schema, schemas));
    return { type, summary: summaryOf(variants), variants };
  });
}

const opsOf = (doc: Document, { properties }: SchemaObject): string[] =>
  properties?.op ? listValues(resolve(doc, properties.op)).map(String) : [];

/** The first constant that the variants with the same `op` differ in. */
function kindOf(doc: Document, schema: SchemaObject, all: readonly SchemaObject[]): string {
  const same = all.filter((other) => opsOf(doc, other).join() === opsOf(doc, schema).join());
  const distinguishing = Object.keys(schema.properties ?? {}).find(
    (name) => new Set(same.map((one) => getConstant(doc, one, name))).size === same.length,
  );
  return same.length > 1 && distinguishing !== undefined ? String(getConstant(doc, schema, distinguishing)) : '';
}

/** One line about the type: the first sentence of the description of each variant. */
function summaryOf(variants: EventVariant[]): string {
  return [...new Set(variants.map(({ description }) => firstSentence(description)))].join(' ');
}

function variantOf(doc: Document, schema: SchemaObject, all: readonly SchemaObject[]): EventVariant {
  return {
    ops: opsOf(doc, schema),
    kind: kindOf(doc, schema, all),
    description: schema.description ?? '',
    fields: fieldsOf(doc, schema),
    examples: examplesOf(doc, schema),
    changes: schema['x-changes'] ?? [],
  };
}

function examplesOf(doc: Document, schema: SchemaObject): ResponseExample[] {
  const recorded = schema['x-recorded'] ?? [];
  if (recorded.length === 0) return [toMadeExample(schema.description ?? '', exampleOf(doc, schema))];
  return recorded.map(({ summary, id }, n) => ({
    title: summary,
    json: pretty({ ...(schema.examples?.[n] as object), id }),
    made: false,
  }));
}
