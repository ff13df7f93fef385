import type { Document, SchemaObject } from '../src/document/index.ts';

/**
 * The document as the types of the client see it: a schema with `x-variants` is the union of them. A variant changes keywords of the
 * schema that it stands in, and has the value `false` for a property that it does not have.
 */
export function withVariants(doc: Document): Document {
  return expand(doc) as Document;
}

/** The schema of a property that a variant does not have. */
export const isAbsent = (schema: object): boolean => 'x-absent' in schema;

type Variant = Omit<SchemaObject, 'properties'> & { properties?: Record<string, SchemaObject | false> };

function expand(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(expand);
  if (node === null || typeof node !== 'object') return node;
  const { 'x-variants': variants, ...schema } = node as SchemaObject & { 'x-variants'?: Variant[] };
  if (variants === undefined) return Object.fromEntries(Object.entries(node).map(([key, one]) => [key, expand(one)]));
  const { description } = schema;
  return {
    ...(description && { description }),
    oneOf: variants.map((variant) => expand(variantOf(schema, variant))),
  };
}

function variantOf(schema: SchemaObject, variant: Variant): object {
  const properties: Record<string, object> = { ...schema.properties };
  for (const [name, change] of Object.entries(variant.properties ?? {})) {
    const { description } = schema.properties?.[name] ?? {};
    properties[name] = change === false ? { 'x-absent': true } : { ...(description && { description }), ...change };
  }
  const required = [...new Set([...(schema.required ?? []), ...(variant.required ?? [])])];
  return {
    ...schema,
    ...variant,
    ...(schema.properties && { properties }),
    ...(required.length > 0 && { required }),
  };
}
