import { type Document, getConstant, getSchemaName, isReference, type SchemaObject } from '../src/document/index.ts';

/** Texts for readers, and examples, which tests execute. They can change at any time. */
const words = new Set([
  ...['description', 'summary', 'title', 'tags', 'examples', 'example', 'x-recorded', 'x-expects', 'discriminator'],
  // Of `x-roles`.
  ...['who', 'note'],
]);

/** Keys of these objects are names. */
const tables = new Set([
  ...['paths', 'properties', 'patternProperties', 'content', 'headers', 'encoding', 'responses'],
  ...['schemas', 'securitySchemes', 'parameters', 'variables'],
]);

/** Data that is no part of the structure. */
const values = new Set(['const', 'default', 'x-changes', 'x-default']);

/** Lists whose order means nothing. */
const sets = new Set(['enum', 'required', 'type', 'x-reasons']);

/** A document without its words. Where it says "one of these schemas", they become a table, so that each is compared with itself. */
export function comparable(doc: Document): Document {
  const { description: _, ...info } = doc.info;
  return { ...(strip(doc, doc, false) as Document), info };
}

function strip(doc: Document, node: unknown, isTable: boolean): unknown {
  if (Array.isArray(node)) return node.map((one) => strip(doc, one, false));
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries(node).filter(([key]) => isTable || !words.has(key));
  const plain = Object.fromEntries(entries.map(([key, child]) => [key, stripped(doc, key, child, isTable)]));
  return isTable ? plain : spreadUnion(doc, plain);
}

function stripped(doc: Document, key: string, child: unknown, isTable: boolean): unknown {
  if (isTable) return strip(doc, child, false);
  if (values.has(key)) return child;
  if (sets.has(key) && Array.isArray(child)) return [...child].sort();
  // One error response is a union of one: there may be more of them later.
  if (key === 'schema' && isErrorResponse(doc, child as SchemaObject)) return spreadUnion(doc, { oneOf: [child] });
  return strip(doc, child, tables.has(key) && !Array.isArray(child));
}

const isErrorResponse = (doc: Document, node: SchemaObject): boolean =>
  isReference(node) && getConstant(doc, node, 'code') !== undefined;

function spreadUnion(doc: Document, { oneOf, ...beside }: SchemaObject | { oneOf?: unknown[] }): object {
  if (oneOf === undefined) return beside;
  const branches = oneOf as SchemaObject[];
  if (!branches.every(isReference)) return { ...beside, oneOf };
  const named = branches.map((one) => [nameOf(doc, one), one]);
  return { ...beside, properties: { ...('properties' in beside && beside.properties), ...Object.fromEntries(named) } };
}

/** The code of an error response; of other schemas their name. */
function nameOf(doc: Document, node: SchemaObject): string {
  return String(getConstant(doc, node, 'code') ?? getSchemaName(node));
}
