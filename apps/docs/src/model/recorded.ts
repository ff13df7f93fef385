import { branchesOf, type Document, operationsOf, resolve, type SchemaObject } from './document.ts';
import { propertiesOf } from './fields.ts';
import { formOf, requestSchemas } from './operations.ts';
import { getSentParams } from './recipe.ts';

type Objects = Map<string, object>;

const PREFIX = '#/components/schemas/';

/** What recorded answers, events and requests have inside: of every named object the one with the most fields, of equals the first. */
export function recordedObjects(doc: Document): Objects {
  const found: Objects = new Map();
  for (const place of operationsOf(doc)) {
    const content = resolve(doc, place.operation.responses['200'] ?? {}).content?.['application/json'];
    for (const example of Object.values(content?.examples ?? {})) {
      collect(doc, content?.schema ?? {}, example.value, found);
      const sent = getSentParams(example);
      for (const [name, schema] of requestSchemas(doc, place)) collect(doc, schema, sent[name], found);
      collect(doc, formOf(doc, place.operation) ?? {}, sent, found);
    }
  }
  for (const event of doc.components.schemas.Event ? branchesOf(doc, doc.components.schemas.Event) : [])
    for (const value of event.examples ?? []) collect(doc, event, value, found);
  return found;
}

/** Walks a value along its schema. */
function collect(doc: Document, node: SchemaObject, value: unknown, found: Objects): void {
  if (typeof value !== 'object' || value === null || !fits(doc, node, value)) return;
  if (node.$ref?.startsWith(PREFIX)) keep(found, node.$ref.slice(PREFIX.length), ownPart(doc, node, value));
  const schema = resolve(doc, node);
  for (const part of [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])])
    collect(doc, part, value, found);
  if (Array.isArray(value)) {
    for (const item of value) collect(doc, schema.items ?? {}, item, found);
    return;
  }
  const { additionalProperties: others, properties = {} } = schema;
  for (const [name, inner] of Object.entries(value))
    collect(doc, properties[name] ?? (typeof others === 'object' ? others : {}), inner, found);
}

/** What of a value a schema speaks of: as one of several that a value has, it has not all of its fields. */
function ownPart(doc: Document, node: SchemaObject, value: object): object {
  const { properties } = propertiesOf(doc, node);
  const isOwn = resolve(doc, node).additionalProperties === undefined;
  return isOwn ? Object.fromEntries(Object.entries(value).filter(([name]) => name in properties)) : value;
}

function keep(found: Objects, name: string, value: object): void {
  const known = found.get(name);
  if (!known || Object.keys(value).length > Object.keys(known).length) found.set(name, value);
}

/** Enough to tell the branches of a union apart: the kind, the fields that must be there, and the constants. */
function fits(doc: Document, node: SchemaObject, value: object): boolean {
  const schema = resolve(doc, node);
  if (Array.isArray(value)) return schema.properties === undefined && [schema.type ?? 'array'].flat().includes('array');
  if ([schema.type ?? 'object'].flat().every((type) => type !== 'object')) return false;
  const { properties, required } = propertiesOf(doc, schema);
  const fields = value as Record<string, unknown>;
  return (
    [...required].every((name) => name in fields) &&
    Object.entries(properties).every(([name, inner]) => isAllowed(resolve(doc, inner), fields[name]))
  );
}

const isAllowed = (schema: SchemaObject, value: unknown): boolean =>
  value === undefined || !('const' in schema) || schema.const === value;
