import { resolve, type WithComponents } from './resolve.ts';
import type { SchemaObject } from './types.ts';

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** The schemas that a schema stands for: the branches of a union, or itself alone. */
export function listBranches(doc: WithComponents, schema: SchemaObject): SchemaObject[] {
  const own = resolve(doc, schema);
  const branches = own.oneOf ?? own.anyOf;
  return branches ? branches.flatMap((branch) => listBranches(doc, branch)) : [own];
}

/** The properties of an object and the names of those that it requires, those of its `allOf` parts first. */
export function getProperties(
  doc: WithComponents,
  node: SchemaObject,
): { properties: Record<string, SchemaObject>; required: Set<string> } {
  const schema = resolve(doc, node);
  const parts = (schema.allOf ?? []).map((part) => getProperties(doc, part));
  const all: Record<string, SchemaObject>[] = [...parts.map(({ properties }) => properties), schema.properties ?? {}];
  return {
    properties: Object.fromEntries(all.flatMap((properties) => Object.entries(properties))),
    required: new Set([...parts.flatMap(({ required }) => [...required]), ...(schema.required ?? [])]),
  };
}

/** The JSON types that a value can have, in the order the document gives them. None: it can have any. */
export function listTypes(doc: WithComponents, node: SchemaObject): JsonType[] {
  const schema = resolve(doc, node);
  const branches = schema.oneOf ?? schema.anyOf ?? (schema.type === undefined ? schema.allOf : undefined) ?? [];
  if (branches.length > 0) return [...new Set(branches.flatMap((branch) => listTypes(doc, branch)))];
  if (schema.type !== undefined) return [schema.type].flat() as JsonType[];
  return [...new Set(listValues(schema).map(getType))];
}

function getType(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : (typeof value as JsonType);
}

/** The only values that a schema allows, where it lists them. */
export function listValues(schema: SchemaObject): unknown[] {
  return schema.enum ?? ('const' in schema ? [schema.const] : []);
}

/** The constant that a property of an object has. */
export function getConstant(doc: WithComponents, node: SchemaObject, property: string): unknown {
  const schema = resolve(doc, node).properties?.[property];
  return schema && resolve(doc, schema).const;
}

/** The codes of the errors that a schema describes. */
export function listErrorCodes(doc: WithComponents, schema: SchemaObject): string[] {
  const codes = listBranches(doc, schema).map((branch) => getConstant(doc, branch, 'code'));
  return [...new Set(codes.filter((code) => typeof code === 'string'))];
}

/** The code of errors that have a reason. */
export const BAD_REQUEST = 'BAD_REQUEST';

/** The schema of the reasons of `BAD_REQUEST`. */
const REASONS = 'BadRequestReason';

/** All reasons of `BAD_REQUEST`, in the order of the document. */
export const listReasons = (doc: WithComponents): string[] => (doc.components.schemas[REASONS]?.enum ?? []).map(String);

/** Whether this is the schema of the reasons, resolved. */
export const isReasonSchema = (doc: WithComponents, schema: SchemaObject): boolean =>
  schema === doc.components.schemas[REASONS];

/**
 * Whether a value is sent as JSON inside a form or a query: arrays and objects are. A value that can be a string as well has no
 * encoding of its own, since a string is sent as it is.
 */
export function isSentAsJson(doc: WithComponents, schema: SchemaObject): boolean {
  const types = listTypes(doc, schema);
  return !types.includes('string') && types.some((type) => type === 'array' || type === 'object');
}

type Change = (subschema: SchemaObject, keyword: string) => SchemaObject;

/** The schema with each of its direct subschemas changed. */
export function mapSubschemas(schema: SchemaObject, change: Change): SchemaObject {
  const changed = Object.entries(schema).map(([keyword, value]) => {
    if (isListKeyword(keyword)) return [keyword, value.map((one: SchemaObject) => change(one, keyword))];
    if (keyword === 'properties') {
      const properties = Object.entries<SchemaObject>(value).map(([name, one]) => [name, change(one, keyword)]);
      return [keyword, Object.fromEntries(properties)];
    }
    const isSchema = ['items', 'additionalProperties', 'not'].includes(keyword) && typeof value === 'object';
    return [keyword, isSchema ? change(value, keyword) : value];
  });
  return Object.fromEntries(changed);
}

const isListKeyword = (keyword: string): boolean => ['allOf', 'oneOf', 'anyOf'].includes(keyword);
