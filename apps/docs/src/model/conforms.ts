import { Validator } from '@cfworker/json-schema';
import type { Schema } from './document.ts';

export type Schemas = Record<string, Schema>;

/** What is wrong with a value, in words and with the place; empty when it is as the schema says. */
export function faultsOf(value: unknown, schema: Schema, schemas: Schemas): string[] {
  const whole = { ...schema, components: { schemas } };
  const { valid, errors } = new Validator(whole as object, '2020-12', false).validate(value);
  if (valid) return [];
  // Errors come from the outside in; the last of a kind names the place where it is wrong.
  const depth = (at: string) => at.split('/').length;
  const deepest = Math.max(...errors.map(({ instanceLocation }) => depth(instanceLocation)));
  const innermost = errors.filter(({ instanceLocation }) => depth(instanceLocation) === deepest);
  const words = innermost.map(({ instanceLocation, error }) => `${placeOf(instanceLocation)}${error}`);
  return [...new Set(words)].slice(0, 5);
}

const placeOf = (location: string): string => (location === '#' ? '' : `${location.slice(2)}: `);

/** The schema that an answer must have: of a refusal, the one with its code. */
export function answerSchema(
  answers: Record<string, Schema>,
  schemas: Schemas,
  status: number,
  body: unknown,
): Schema | undefined {
  const schema = answers[status];
  if (!schema) return undefined;
  const code = (body as { code?: unknown } | null)?.code;
  const branch = branchesOf(schema, schemas).find((one) => one.properties?.code?.const === code);
  return status === 200 ? schema : branch;
}

function branchesOf(node: Schema, schemas: Schemas): Schema[] {
  const schema = followed(node, schemas);
  const branches = schema.oneOf ?? schema.anyOf;
  return branches ? branches.flatMap((branch) => branchesOf(branch, schemas)) : [schema];
}

function followed({ $ref, ...beside }: Schema, schemas: Schemas): Schema {
  return $ref === undefined ? beside : { ...followed(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas), ...beside };
}

/** The JSON types that a schema allows. */
export function typesOf(node: Schema, schemas: Schemas): Set<string> {
  const schema = followed(node, schemas);
  const branches = schema.oneOf ?? schema.anyOf ?? (schema.type === undefined ? schema.allOf : undefined);
  if (branches) return new Set(branches.flatMap((branch) => [...typesOf(branch, schemas)]));
  const values = schema.enum ?? ('const' in schema ? [schema.const] : []);
  return new Set([
    ...[schema.type ?? []].flat(),
    ...(schema.type === undefined ? values.map((one) => typeof one) : []),
  ]);
}
