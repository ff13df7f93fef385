import { describeExpected, listTypes } from '@parley/openapi/document';
import type { ConsoleField } from './console.ts';
import { listSchemaErrors, type Schemas } from './validate.ts';

/** What stands in a field of the console: a value to send, nothing, or something that cannot be sent. */
export type Entered = { value?: unknown; problem?: string };

/** In a field, two quotes stand for a text without characters; a field left empty is not sent. */
const EMPTY = '""';

export function entered(field: ConsoleField, text: string, schemas: Schemas): Entered {
  if (text === '') return field.required ? { problem: 'This one is required.' } : {};
  const doc = { components: { schemas } };
  const types = listTypes(doc, field.schema);
  const isText = types.includes('string') || types.length === 0;
  const value = isText ? asText(field, text, types.length === 1, schemas) : parsed(text);
  if (value === undefined) return { problem: `This must be ${describeExpected(doc, field.schema)}.` };
  if (typeof value === 'number' && !Number.isFinite(value)) return { problem: 'The number is too large.' };
  const faults = listSchemaErrors(value, field.schema, schemas);
  return faults.length === 0 ? { value } : { problem: faults.slice(0, 2).join(' ') };
}

/** What may be a text or something else travels alike either way; as a value it is what the schema would rather have. */
function asText(field: ConsoleField, text: string, only: boolean, schemas: Schemas): unknown {
  if (text === EMPTY) return '';
  const value = only ? undefined : parsed(text);
  if (value === undefined || typeof value === 'string') return text;
  return listSchemaErrors(value, field.schema, schemas).length === 0 ? value : text;
}

/** How a value stands in its field. */
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
