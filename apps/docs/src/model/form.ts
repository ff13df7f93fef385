import { describeExpected, listTypes } from '@parley/openapi/document';
import type { ConsoleField } from './console.ts';
import { listSchemaErrors, type Schemas } from './validate.ts';

/** The content of a field of the console: a value to send, nothing, or an invalid text. */
export type Entered = { value?: unknown; problem?: string };

/** Two quotes in a field mean an empty string. An empty field is not sent. */
const EMPTY = '""';

export function entered(field: ConsoleField, text: string, schemas: Schemas): Entered {
  if (text === '') return field.required ? { problem: 'This field is required.' } : {};
  const doc = { components: { schemas } };
  const types = listTypes(doc, field.schema);
  const isText = types.includes('string') || types.length === 0;
  const value = isText ? asText(field, text, types.length === 1, schemas) : parsed(text);
  if (value === undefined) return { problem: `This must be ${describeExpected(doc, field.schema)}.` };
  if (typeof value === 'number' && !Number.isFinite(value)) return { problem: 'The number is too large.' };
  const errors = listSchemaErrors(value, field.schema, schemas);
  return errors.length === 0 ? { value } : { problem: errors.slice(0, 2).join(' ') };
}

/** A value that can be a string or another type is encoded the same way. The JSON value is used if the schema allows it. */
function asText(field: ConsoleField, text: string, only: boolean, schemas: Schemas): unknown {
  if (text === EMPTY) return '';
  const value = only ? undefined : parsed(text);
  if (value === undefined || typeof value === 'string') return text;
  return listSchemaErrors(value, field.schema, schemas).length === 0 ? value : text;
}

/** The text of a value in its field. */
export function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (value === '') return EMPTY;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
