import { type Document, getProperties, resolve, type SchemaObject } from '@parley/openapi/document';
import { valueByName } from './example-values.ts';

const DEEPEST = 5;

/** A value that the schema allows, generated from the schema and the name. Optional properties are left out. */
export function exampleOf(doc: Document, node: SchemaObject, name = '', depth = 0): unknown {
  const schema = resolve(doc, node);
  if (schema.examples?.length) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (schema.enum?.length) return schema.enum.includes(valueByName[name]) ? valueByName[name] : schema.enum[0];
  if (name in valueByName && fits(doc, schema, valueByName[name])) return valueByName[name];
  if (schema.default !== undefined) return schema.default;
  const branch = schema.oneOf?.[0] ?? schema.anyOf?.[0];
  if (branch) return exampleOf(doc, branch, name, depth);
  if (schema.allOf) return merged(doc, schema, name, depth);
  return ofType(doc, schema, name, depth);
}

function merged(doc: Document, schema: SchemaObject, name: string, depth: number): unknown {
  const { allOf = [], ...rest } = schema;
  const own = rest.properties ? [rest] : [];
  const parts = [...allOf, ...own].map((part) => exampleOf(doc, part, name, depth));
  if (parts.length === 1) return parts[0];
  return Object.assign({}, ...parts.filter((part) => typeof part === 'object' && part !== null)) as unknown;
}

function ofType(doc: Document, schema: SchemaObject, name: string, depth: number): unknown {
  switch ([schema.type ?? (schema.properties ? 'object' : 'string')].flat()[0]) {
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1) <= (schema.maximum ?? 1)
        ? Math.max(schema.minimum ?? 1, 1)
        : schema.maximum;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return depth < DEEPEST && schema.items ? [exampleOf(doc, schema.items, '', depth + 1)] : [];
    case 'object':
      return depth < DEEPEST ? object(doc, schema, depth) : {};
    default:
      return name === '' ? 'text' : name.replaceAll('_', ' ');
  }
}

function object(doc: Document, schema: SchemaObject, depth: number): Record<string, unknown> {
  const { properties, required } = getProperties(doc, schema);
  const shown = Object.entries(properties).filter(([name]) => required.has(name));
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(doc, property, name, depth + 1)]));
}

/** Whether the schema allows the type of a value, so that the usual value of the name can be used. */
function fits(doc: Document, node: SchemaObject, value: unknown): boolean {
  const schema = resolve(doc, node);
  const branches = schema.oneOf ?? schema.anyOf ?? (schema.allOf?.length === 1 ? schema.allOf : undefined);
  if (branches) return branches.some((branch) => fits(doc, branch, value));
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const types = [schema.type ?? []].flat();
  if (kind === 'array')
    return types.includes('array') && (value as unknown[]).every((item) => fits(doc, schema.items ?? {}, item));
  if (kind === 'number') return types.includes('number') || (types.includes('integer') && Number.isInteger(value));
  return types.includes(kind);
}
