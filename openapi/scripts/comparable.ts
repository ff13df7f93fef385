import { type BundledDocument, type Node, resolve } from './document.ts';

/** Words for people; and examples, which are executed. What they say may be said better at any time. */
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
const sets = new Set(['enum', 'required', 'type']);

/** A document without its words. Where it says "one of these schemas", they become a table, so that each is compared with itself. */
export function comparable(doc: BundledDocument): BundledDocument {
  return { ...strip(doc, doc, false), info: { ...doc.info, description: undefined } };
}

function strip(doc: BundledDocument, node: Node, isTable: boolean): Node {
  if (Array.isArray(node)) return node.map((one) => strip(doc, one, false));
  if (node === null || typeof node !== 'object') return node;
  const entries = Object.entries<Node>(node).filter(([key]) => isTable || !words.has(key));
  const plain = Object.fromEntries(entries.map(([key, child]) => [key, stripped(doc, key, child, isTable)]));
  return isTable ? plain : spreadUnion(doc, plain);
}

function stripped(doc: BundledDocument, key: string, child: Node, isTable: boolean): Node {
  if (isTable) return strip(doc, child, false);
  if (values.has(key)) return child;
  if (sets.has(key) && Array.isArray(child)) return [...child].sort();
  // One refusal is a union of one: there may be more of them later.
  if (key === 'schema' && isErrorResponse(doc, child)) return spreadUnion(doc, { oneOf: [child] });
  return strip(doc, child, tables.has(key) && !Array.isArray(child));
}

const isErrorResponse = (doc: BundledDocument, node: Node): boolean =>
  node.$ref !== undefined && resolve(doc, node).properties?.code?.const !== undefined;

function spreadUnion(doc: BundledDocument, { oneOf, ...beside }: Node): Node {
  if (oneOf === undefined) return beside;
  if (!oneOf.every((one: Node) => one.$ref)) return { ...beside, oneOf };
  const named = oneOf.map((one: Node) => [nameOf(doc, one), one]);
  return { ...beside, properties: { ...beside.properties, ...Object.fromEntries(named) } };
}

/** The code of a refusal; of other schemas their name. */
function nameOf(doc: BundledDocument, { $ref }: Node): string {
  return resolve(doc, { $ref }).properties?.code?.const ?? $ref.split('/').at(-1);
}
