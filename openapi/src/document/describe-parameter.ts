import { resolve, type WithComponents } from './resolve.ts';
import type { SchemaObject } from './types.ts';

/**
 * What a parameter must be, as error messages of the server say it: “a list of at most 100, each an integer”. `x-expects` overrides it
 * where a grammar says more than its schema.
 */
export function describeParameter(doc: WithComponents, node: SchemaObject): string {
  const schema = resolve(doc, node);
  if (schema['x-expects']) return schema['x-expects'];
  const branches = schema.oneOf ?? schema.anyOf ?? [];
  if (branches.length > 0) return branches.map((branch) => describeParameter(doc, branch)).join(' or ');
  const [only, ...others] = schema.allOf ?? [];
  if (schema.type === undefined && only && others.length === 0) return describeParameter(doc, only);
  if (schema.enum && !schema['x-open-enum'])
    return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === undefined) throw new Error(`A parameter needs words, x-expects: ${JSON.stringify(schema)}`);
  return [schema.type]
    .flat()
    .map((type) => describeOneType(doc, schema, type))
    .join(' or ');
}

function describeOneType(doc: WithComponents, schema: SchemaObject, type: string): string {
  switch (type) {
    case 'array':
      return `a list${schema.maxItems ? ` of at most ${schema.maxItems}` : ''}, each ${describeParameter(doc, schema.items ?? {})}`;
    case 'integer':
      return `an integer${describeRange(schema)}`;
    case 'string':
      return schema.maxLength ? `a text of at most ${schema.maxLength} characters` : 'a text';
    case 'boolean':
      return 'true or false';
    case 'object':
      return describeObject(schema);
    default:
      return type === 'null' ? 'null' : `a ${type}`;
  }
}

function describeRange({ minimum, maximum }: SchemaObject): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum !== undefined ? ` of at most ${maximum}` : '';
}

function describeObject({ properties = {} }: SchemaObject): string {
  const names = Object.keys(properties);
  return names.length > 0 ? `an object with ${names.map((name) => `"${name}"`).join(', ')}` : 'an object';
}
