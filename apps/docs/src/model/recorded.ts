import {
  type Document,
  getBodySchema,
  getProperties,
  getSchemaName,
  getSuccessResponse,
  listBranches,
  listOperations,
  listRequestFields,
  resolve,
  type SchemaObject,
} from '@parley/openapi/document';
import { getSentParams } from './recipe.ts';

type Objects = Map<string, object>;

/** Objects from recorded responses, events and requests: for each name the first one with the most fields. */
export function recordedObjects(doc: Document): Objects {
  const found: Objects = new Map();
  for (const entry of listOperations(doc)) {
    const { schema = {}, examples } = getSuccessResponse(doc, entry.operation);
    for (const example of Object.values(examples)) {
      collect(doc, schema, example.value, found);
      const sent = getSentParams(example);
      for (const field of listRequestFields(doc, entry)) collect(doc, field.schema, sent[field.name], found);
      collect(doc, getBodySchema(doc, entry.operation) ?? {}, sent, found);
    }
  }
  for (const event of doc.components.schemas.Event ? listBranches(doc, doc.components.schemas.Event) : [])
    for (const value of event.examples ?? []) collect(doc, event, value, found);
  return found;
}

/** Walks a value along its schema. */
function collect(doc: Document, node: SchemaObject, value: unknown, found: Objects): void {
  if (typeof value !== 'object' || value === null || !fits(doc, node, value)) return;
  const name = getSchemaName(node);
  if (name !== undefined) keep(found, name, ownPart(doc, node, value));
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

/** The part of a value that a schema describes: a value of several schemas has fields of all of them. */
function ownPart(doc: Document, node: SchemaObject, value: object): object {
  const { properties } = getProperties(doc, node);
  const isOwn = resolve(doc, node).additionalProperties === undefined;
  return isOwn ? Object.fromEntries(Object.entries(value).filter(([name]) => name in properties)) : value;
}

function keep(found: Objects, name: string, value: object): void {
  const known = found.get(name);
  if (!known || Object.keys(value).length > Object.keys(known).length) found.set(name, value);
}

/** Whether a value matches a branch of a union: by its type, the required fields and the constants. */
function fits(doc: Document, node: SchemaObject, value: object): boolean {
  const schema = resolve(doc, node);
  if (Array.isArray(value)) return schema.properties === undefined && [schema.type ?? 'array'].flat().includes('array');
  if ([schema.type ?? 'object'].flat().every((type) => type !== 'object')) return false;
  const { properties, required } = getProperties(doc, schema);
  const fields = value as Record<string, unknown>;
  return (
    [...required].every((name) => name in fields) &&
    Object.entries(properties).every(([name, inner]) => isAllowed(resolve(doc, inner), fields[name]))
  );
}

const isAllowed = (schema: SchemaObject, value: unknown): boolean =>
  value === undefined || !('const' in schema) || schema.const === value;
