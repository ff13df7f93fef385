import { resolve, type WithComponents } from './resolve.ts';
import { listTypes, listValues } from './schemas.ts';
import type { SchemaObject } from './types.ts';

const PLURALS: Record<string, string> = {
  string: 'strings',
  integer: 'integers',
  number: 'numbers',
  boolean: 'booleans',
  object: 'objects',
};

/** The type of a schema by its names in JSON Schema, short enough to stand beside a name: `array of integers`, `string (email)`. */
export function describeType(doc: WithComponents, node: SchemaObject): string {
  const schema = resolve(doc, node);
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches) return joined(branches.map((branch) => describeType(doc, branch)));
  if (schema.type !== undefined) return joined([schema.type].flat().map((type) => oneType(doc, schema, type)));
  const only = schema.allOf?.length === 1 ? schema.allOf[0] : undefined;
  if (only) return describeType(doc, only);
  if (schema.properties || schema.allOf) return 'object';
  const types = listTypes(doc, schema);
  return types.length > 0 ? joined(types) : 'anything';
}

/** What a schema expects, as the end of “This must be …”. */
export function describeExpected(doc: WithComponents, node: SchemaObject): string {
  const schema = resolve(doc, node);
  if (schema['x-expects'] !== undefined) return schema['x-expects'];
  const values = listValues(schema).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  if (values.length > 0) return values.length === 1 ? values.join() : `one of ${values.join(', ')}`;
  const limits = describeLimits(schema);
  return `${withArticle(describeType(doc, schema))}${limits === '' ? '' : `, ${limits}`}`;
}

/** “an integer”, “an array of strings”, “the id of a stream”. */
export function withArticle(words: string): string {
  if (/^(anything|null|the )/.test(words)) return words;
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

function oneType(doc: WithComponents, schema: SchemaObject, type: string): string {
  if (type === 'array') return schema.items ? `array of ${plural(describeType(doc, schema.items))}` : 'array';
  return type === 'string' && schema.format !== undefined ? `string (${schema.format})` : type;
}

function plural(type: string): string {
  if (type.startsWith('array of ')) return `arrays of ${type.slice(9)}`;
  if (type in PLURALS) return PLURALS[type] ?? type;
  return type
    .split(' or ')
    .map((part) => PLURALS[part] ?? part)
    .join(' or ');
}

const joined = (parts: string[]): string => [...new Set(parts)].join(' or ');

/** What a value is besides its type: its bounds, or else what `x-expects` says. Empty for nothing. */
export function describeConstraints(schema: SchemaObject): string {
  const { 'x-expects': expects = '', ...plain } = schema;
  const bounds = describeLimits(plain);
  return bounds === '' ? expects : bounds;
}

/** Bounds in words: "0 to 604800", "at most 60 characters". Empty when there are none. */
export function describeLimits(schema: SchemaObject): string {
  if (schema['x-expects'] !== undefined) return '';
  const limits = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength === 1 ? undefined : schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
  ];
  return limits.filter((text) => text !== '').join(', ');
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  const show = (n: number) => n.toLocaleString('en-US');
  if (from !== undefined && from === to) return `exactly ${show(from)}${unit}`;
  if (from !== undefined && to !== undefined) return `${show(from)} to ${show(to)}${unit}`;
  if (from !== undefined) return `at least ${show(from)}${unit}`;
  return to === undefined ? '' : `at most ${show(to)}${unit}`;
}
