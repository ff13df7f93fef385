import { Validator } from '@cfworker/json-schema';
import type { SchemaObject } from './document.ts';
import { describeSchemaError, SchemaErrorFinder } from './schema-errors.ts';
import { resolveSchema, type Schemas } from './schemas.ts';

/** What is wrong with a value, in words and with the place; empty when it is as the schema says. `whole` is what to call it. */
export function listSchemaErrors(value: unknown, schema: SchemaObject, schemas: Schemas, whole = 'this'): string[] {
  const described = { ...schema, components: { schemas } };
  if (new Validator(described as object, '2020-12').validate(value).valid) return [];
  const faults = new SchemaErrorFinder(schemas).find(value, schema);
  const words = faults.length > 0 ? faults : [{ at: [], says: 'is not as the document describes it' }];
  return [...new Set(words.map((fault) => describeSchemaError(fault, whole)))].slice(0, 5);
}

/** The schema that an answer must have: of a refusal, the one with its code. */
export function findResponseSchema(
  answers: Record<string, SchemaObject>,
  schemas: Schemas,
  status: number,
  body: unknown,
): SchemaObject | undefined {
  const schema = answers[status];
  if (!schema) return undefined;
  const code = (body as { code?: unknown } | null)?.code;
  const branch = branchesOf(schema, schemas).find((one) => one.properties?.code?.const === code);
  return status === 200 ? schema : branch;
}

function branchesOf(node: SchemaObject, schemas: Schemas): SchemaObject[] {
  const schema = resolveSchema(node, schemas);
  const branches = schema.oneOf ?? schema.anyOf;
  return branches ? branches.flatMap((branch) => branchesOf(branch, schemas)) : [schema];
}
