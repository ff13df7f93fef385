import {
  type Document,
  findOperation,
  listReferencedSchemas,
  listRequestFields,
  listResponses,
  type OperationEntry,
  type RequestField,
  resolve,
  type SchemaObject,
} from '@parley/openapi/document';
import { type ExampleSetup, getExampleSetup } from './example-setup.ts';
import { type Field, fieldOf } from './fields.ts';
import { firstExample, type OperationPage } from './operations.ts';
import type { SampleCall } from './samples.ts';

/** What the console of an operation needs; the page fetches it when a reader opens the console. */
export interface ConsoleData {
  call: SampleCall;
  fields: ConsoleField[];
  /** The schemas of the documented responses, by status. */
  responses: Record<string, SchemaObject>;
  /** The schemas that the responses and the fields refer to, by name. */
  schemas: Record<string, SchemaObject>;
  /** The feature level that added the operation. */
  level: number;
  /** The setup of the example that the form begins with. Absent if an operator makes a step of it. */
  setup?: ExampleSetup;
}

export interface ConsoleField {
  name: string;
  required: boolean;
  deprecated: boolean;
  /** A description of the type. */
  type: string;
  control: 'text' | 'number' | 'choice' | 'file';
  values: string[];
  default?: string;
  /** The feature level that added the field. */
  level: number;
  schema: SchemaObject;
}

export function consoleOf(doc: Document, page: OperationPage): ConsoleData {
  const entry = findOperation(doc, page.id);
  if (!entry) throw new Error(`The document has no operation ${page.id}.`);
  const headers = entry.parameters.filter((one) => one.in === 'header');
  const fields = [
    ...listRequestFields(doc, entry),
    ...headers.map(({ name, schema = {}, required = false }) => ({ name, schema, required })),
  ].map((field) => consoleField(doc, field));
  const responses = listResponseSchemas(doc, entry);
  const example = firstExample(doc, entry.operation);
  const setup = example && getExampleSetup(doc, example);
  return {
    call: page.call,
    fields,
    responses,
    schemas: closure(doc, [...fields.map(({ schema }) => schema), ...Object.values(responses)]),
    level: levelOf(page.changes),
    ...(setup && { setup }),
  };
}

type NamedField = Pick<RequestField, 'name' | 'schema' | 'required'>;

function consoleField(doc: Document, { name, schema: node, required }: NamedField): ConsoleField {
  const shown = fieldOf(doc, name, node, required);
  const schema = resolve(doc, node);
  return {
    name,
    required,
    deprecated: shown.deprecated,
    type: [shown.type, shown.limits].filter((text) => text !== '').join(', '),
    control: controlOf(schema, shown),
    values: choicesOf(schema, shown),
    ...(shown.default !== undefined && { default: shown.default }),
    level: levelOf(shown.changes),
    schema: bare(node) as SchemaObject,
  };
}

function controlOf(schema: SchemaObject, shown: Field): ConsoleField['control'] {
  if (schema.format === 'binary') return 'file';
  if (choicesOf(schema, shown).length > 0) return 'choice';
  return schema.type === 'integer' || schema.type === 'number' ? 'number' : 'text';
}

function choicesOf(schema: SchemaObject, shown: Field): string[] {
  return shown.type === 'boolean' && schema.type === 'boolean' ? ['true', 'false'] : shown.values;
}

const levelOf = (changes: readonly { level: number; kind?: string }[]): number =>
  Math.max(0, ...changes.filter(({ kind }) => kind === 'added').map(({ level }) => level));

function listResponseSchemas(doc: Document, { operation }: OperationEntry): Record<string, SchemaObject> {
  const entries = listResponses(doc, operation).flatMap(({ status, schema }) =>
    schema ? [[status, bare(schema) as SchemaObject] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** The named schemas that others refer to, directly or through each other. */
function closure(doc: Document, from: readonly SchemaObject[]): Record<string, SchemaObject> {
  const names = [
    ...listReferencedSchemas(
      doc,
      from.map((schema) => bare(schema)),
    ),
  ];
  return Object.fromEntries(names.map((name) => [name, bare(doc.components.schemas[name] ?? {}) as SchemaObject]));
}

const TEXTS = new Set(['description', 'examples', 'deprecated', 'default', 'title', 'discriminator']);

const EXPECTS = 'x-expects';

/** A schema without its texts: the constraints of a value, and the texts of their errors. */
function bare(node: unknown, named = false): unknown {
  if (Array.isArray(node)) return node.map((item) => bare(item));
  if (typeof node !== 'object' || node === null) return node;
  const remaining = Object.entries(node).filter(
    ([key]) => named || !(TEXTS.has(key) || (key.startsWith('x-') && key !== EXPECTS)),
  );
  return Object.fromEntries(
    remaining.map(([key, value]) => {
      if (key === 'enum' || key === 'const') return [key, value];
      return [key, bare(value, !named && key === 'properties')];
    }),
  );
}
