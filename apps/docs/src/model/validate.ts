import { Validator } from '@cfworker/json-schema';
import { type Components, getConstant, listBranches, type SchemaObject } from '@parley/openapi/document';
import { describeSchemaError, SchemaErrorFinder } from './schema-errors.ts';

/** Schemas that others refer to, by name. */
export type Schemas = Components['schemas'];

/** The errors of a value as sentences; empty if it is valid. `whole` names the value. */
export function listSchemaErrors(value: unknown, schema: SchemaObject, schemas: Schemas, whole = 'this'): string[] {
  const described = { ...schema, components: { schemas } };
  if (new Validator(described as object, '2020-12').validate(value).valid) return [];
  const errors = new SchemaErrorFinder({ components: { schemas } }).find(value, schema);
  const words = errors.length > 0 ? errors : [{ at: [], says: 'does not match its schema' }];
  return [...new Set(words.map((error) => describeSchemaError(error, whole)))].slice(0, 5);
}

/** The schema of a response: for an error, the branch with its code. */
export function findResponseSchema(
  responseSchemas: Record<string, SchemaObject>,
  schemas: Schemas,
  status: number,
  body: unknown,
): SchemaObject | undefined {
  const schema = responseSchemas[status];
  if (!schema) return undefined;
  const code = (body as { code?: unknown } | null)?.code;
  const doc = { components: { schemas } };
  const branch = listBranches(doc, schema).find((one) => getConstant(doc, one, 'code') === code);
  return status === 200 ? schema : branch;
}
