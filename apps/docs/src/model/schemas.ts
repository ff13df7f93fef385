import type { SchemaObject } from './document.ts';

/** Schemas that others refer to, by name. */
export type Schemas = Record<string, SchemaObject>;

/** What a schema refers to, with what stands beside. */
export function resolveSchema({ $ref, ...beside }: SchemaObject, schemas: Schemas): SchemaObject {
  return $ref === undefined
    ? beside
    : { ...resolveSchema(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas), ...beside };
}

/** The JSON types that a schema allows. */
export function typesOf(node: SchemaObject, schemas: Schemas): Set<string> {
  const schema = resolveSchema(node, schemas);
  const branches = schema.oneOf ?? schema.anyOf ?? (schema.type === undefined ? schema.allOf : undefined);
  if (branches) return new Set(branches.flatMap((branch) => [...typesOf(branch, schemas)]));
  const values = schema.enum ?? ('const' in schema ? [schema.const] : []);
  return new Set([
    ...[schema.type ?? []].flat(),
    ...(schema.type === undefined ? values.map((one) => (one === null ? 'null' : typeof one)) : []),
  ]);
}
