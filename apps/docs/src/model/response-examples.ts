import { encodeForm } from '@parley/client';
import { type Document, type Example, getProperties, type Recipe, type SchemaObject } from '@parley/openapi/document';
import { pretty } from './json.ts';
import { getSentParams } from './recipe.ts';

/** An example answer, and whether the document has it or it was made here from the schema. */
export interface ResponseExample {
  title: string;
  json: string;
  made: boolean;
  /** The parameters or the body that were sent for it, as they travel before percent-encoding. */
  sent?: string[];
}

/** The document's example; where it is only the beginning of one, its title with an answer made from the schema. */
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

/** Whether everything that the schema requires is there. Recipes that have not been recorded yet have less. */
function isWhole(doc: Document, schema: SchemaObject, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return [...getProperties(doc, schema).required].every((name) => name in value);
}

/** What was sent for an example. One that operations share names the operation that was called, which is not this one. */
function sentBy(example: Example): string[] {
  const request = example['x-request'] ?? {};
  return request.operation === undefined ? formatSentParams({ ...request, params: getSentParams(example) }) : [];
}

/** What a call sends, as it travels before percent-encoding. */
export function formatSentParams({ body_text, files, params = {} }: Recipe): string[] {
  if (body_text !== undefined) return [body_text];
  const texts = [...encodeForm(params)].map(([name, value]) => `${name}=${value}`);
  return [...texts, ...Object.keys(files ?? {}).map((name) => `${name}=<a file>`)];
}
