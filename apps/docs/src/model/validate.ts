import { Validator } from '@cfworker/json-schema';
import { type Components, getConstant, listBranches, type SchemaObject } from '@parley/openapi/document';
import { describeSchemaError, SchemaErrorFinder } from './schema-errors.ts';

/** Schemas that others refer to, by name. */
export type Schemas = Components['schemas'];

/** The errors of a value, in words and with their paths; empty when the value is valid. `whole` is what to call it. */
export function listSchemaErrors(value: unknown, schema: SchemaObject, schemas: Schemas, whole = 'this'): string[] {
  const described = { ...schema, components: { schemas } };
  if (new Validator(described as object, '2020-12').validate(value).valid) return [];
  const faults = new SchemaErrorFinder({ components: { schemas } }).find(value, schema);
  const words = faults.length > 0 ? faults : [{ at: [], says: 'is not as the document describes it' }];
  return [...new Set(words.map((fault) => describeSchemaError(fault, whole)))].slice(0, 5);
}

/** The schema that an answer must have: of a refusal, the one with its code. */
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
