import { encodeForm } from '@parley/client';
import { type Document, type Example, getProperties, type Recipe, type SchemaObject } from '@parley/openapi/document';
import { pretty } from './json.ts';
import { getSentParams } from './recipe.ts';

/** An example response, and whether it was generated from the schema because the document has none. */
export interface ResponseExample {
  title: string;
  json: string;
  made: boolean;
  /** The parameters or the body of its request, before percent-encoding. */
  sent?: string[];
}

/** The document's example. If that is incomplete, its title with a response generated from the schema. */
export function toResponseExample(
  doc: Document,
  schema: SchemaObject,
  example: Example,
  name: string,
  made: unknown,
): ResponseExample {
  const whole = isWhole(doc, schema, example.value);
  const sent = sentBy(example);
  return {
    title: example.summary ?? name,
    json: pretty(whole ? example.value : made),
    made: !whole,
    ...(sent.length > 0 && { sent }),
  };
}

export function toMadeExample(title: string, made: unknown): ResponseExample {
  return { title, json: pretty(made), made: true };
}

/** Whether an example has all required fields. Recipes that have not been recorded yet lack some. */
function isWhole(doc: Document, schema: SchemaObject, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return [...getProperties(doc, schema).required].every((name) => name in value);
}

/** The parameters of an example. Empty for an example that names another operation, because several operations share it. */
function sentBy(example: Example): string[] {
  const request = example['x-request'] ?? {};
  return request.operation === undefined ? formatSentParams({ ...request, params: getSentParams(example) }) : [];
}

/** The parameters of a call before percent-encoding. */
export function formatSentParams({ body_text, files, params = {} }: Recipe): string[] {
  if (body_text !== undefined) return [body_text];
  const texts = [...encodeForm(params)].map(([name, value]) => `${name}=${value}`);
  return [...texts, ...Object.keys(files ?? {}).map((name) => `${name}=<a file>`)];
}
