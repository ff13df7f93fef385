import type { Document } from './types.ts';

/** What references refer to. */
export type WithComponents = Pick<Document, 'components'>;

type Referring = { $ref?: string };

/** Whether something stands for what it refers to. */
export const isReference = ({ $ref }: Referring): boolean => $ref !== undefined;

/** Follows references. What stands beside a `$ref` (OpenAPI 3.1 allows a description there) replaces the same keyword of the target. */
export function resolve<T extends Referring>(doc: WithComponents, node: T): T {
  const { $ref, ...beside } = node;
  if ($ref === undefined) return node;
  const target = resolve(doc, lookUp(doc, $ref) as T);
  return Object.keys(beside).length === 0 ? target : { ...target, ...beside };
}

/** Follows references to the node of the document itself, for code that changes the document. */
export function follow<T extends Referring>(doc: WithComponents, node: T): T {
  return node.$ref === undefined ? node : follow(doc, lookUp(doc, node.$ref) as T);
}

/** The keys of a JSON pointer, with or without its `#`. */
export const parsePointer = (pointer: string): string[] =>
  pointer
    .replace(/^#?\//, '')
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

function lookUp(doc: WithComponents, $ref: string): unknown {
  const found = parsePointer($ref).reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    doc,
  );
  if (found === undefined) throw new Error(`The document has nothing at ${$ref}.`);
  return found;
}

const SCHEMAS = '#/components/schemas/';

/** The name of the schema that a node refers to. */
export const getSchemaName = ({ $ref }: Referring): string | undefined =>
  $ref?.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined;

/** The names of all schemas that something refers to, directly or through other schemas, in the order they are found. */
export function listReferencedSchemas(doc: WithComponents, node: unknown, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(node ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    listReferencedSchemas(doc, doc.components.schemas[name], found);
  }
  return found;
}
