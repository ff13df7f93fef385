// The JSON Schemas of each operation, as the server validates: parameters after decoding, and responses before they are sent.

import {
  type Document,
  getBodySchema,
  isReasonSchema,
  listOperations,
  listRequestFields,
  listResponses,
  mapSubschemas,
  type OperationEntry,
  type OperationObject,
  resolve,
  type SchemaObject,
} from '@parley/openapi/document';

import { serializedFields } from '../../../core/serialized-fields.ts';

/** A JSON Schema without references. */
export type JsonSchema = Omit<SchemaObject, '$ref'>;

/** What an operation accepts and returns. */
export interface OperationSchemas {
  /** All parameters as one object: those of the path, of the query and of the body share one namespace. */
  readonly request: JsonSchema;
  /** Response bodies by status, closed to undocumented fields. Undefined: the response has no body. */
  readonly responses: Readonly<Record<string, JsonSchema | undefined>>;
  /** An item of the list that is validated item by item. */
  readonly item?: JsonSchema;
}

/** Statuses from here on are sent without validation: they report that the server itself failed. */
const UNVALIDATED = 500;

/** The part of the document that says what operations accept and return. */
export type DocumentOfOperations = Pick<Document, 'openapi' | 'paths' | 'components'>;

/** The schemas of every operation of the OpenAPI document, by operation id. */
export function listOperationSchemas(doc: DocumentOfOperations): Map<string, OperationSchemas> {
  return new Map(
    listOperations(doc).map((entry) => {
      const responses = responseSchemas(doc, entry.operation);
      const item = itemSchema(entry.operation.operationId, responses['200']);
      return [entry.operation.operationId, { request: requestSchema(doc, entry), responses, ...(item && { item }) }];
    }),
  );
}

function requestSchema(doc: DocumentOfOperations, entry: OperationEntry): JsonSchema {
  const outsideBody = listRequestFields(doc, entry).filter((field) => field.in !== 'body');
  const body = getBodySchema(doc, entry.operation);
  const parameters = {
    type: 'object',
    required: outsideBody.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(outsideBody.map(({ name, schema }) => [name, schema])),
  };
  const request = { type: 'object', allOf: [parameters, ...(body ? [body] : [])] };
  return inlined(doc, request, withOpenEnums);
}

function responseSchemas(doc: DocumentOfOperations, operation: OperationObject): OperationSchemas['responses'] {
  const validated = listResponses(doc, operation).filter(({ status }) => Number(status) < UNVALIDATED);
  return Object.fromEntries(
    validated.map(({ status, schema, reasons }) => [
      status,
      schema && closed(inlined(doc, schema, withReasons(doc, reasons)), false),
    ]),
  );
}

/** The schema of each item of the list that is validated item by item; undefined: the operation has none. */
function itemSchema(id: string, response: JsonSchema | undefined): JsonSchema | undefined {
  const field = (serializedFields as Readonly<Record<string, string>>)[id];
  if (field === undefined) return undefined;
  const item = [response, ...(response?.allOf ?? [])].map((schema) => schema?.properties?.[field]?.items).find(Boolean);
  if (!item) throw new Error(`The response of ${id} has no list ${field}.`);
  return item;
}

/** A copy without references, and without keywords that do not affect validity. */
function inlined(
  doc: DocumentOfOperations,
  node: SchemaObject,
  adapt: (schema: SchemaObject) => SchemaObject,
): SchemaObject {
  const { description, examples, deprecated, ...schema } = adapt(resolve(doc, node));
  const rest = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-'));
  return mapSubschemas(Object.fromEntries(rest), (subschema) => inlined(doc, subschema, adapt));
}

/** A `BAD_REQUEST` has only the reasons that the response documents. */
const withReasons =
  (doc: DocumentOfOperations, reasons: string[]) =>
  (schema: SchemaObject): SchemaObject =>
    isReasonSchema(doc, schema) ? { ...schema, enum: reasons } : schema;

/** The operation itself validates values that the document does not enumerate. */
function withOpenEnums(schema: SchemaObject): SchemaObject {
  if (!schema['x-open-enum']) return schema;
  const { enum: _, ...others } = schema;
  return others;
}

/** A copy in which objects have no fields but the documented ones. `open`: an outer schema closes this one. */
function closed(schema: SchemaObject, open: boolean): SchemaObject {
  const isObject = schema.type === 'object' || schema.properties !== undefined || schema.allOf !== undefined;
  const copy = mapSubschemas(schema, (subschema, keyword) => {
    if (keyword === 'not') return subschema;
    return closed(subschema, keyword === 'allOf' || (open && (keyword === 'oneOf' || keyword === 'anyOf')));
  });
  const isClosed = isObject && !open && schema.additionalProperties === undefined;
  return isClosed ? { ...copy, unevaluatedProperties: false } : copy;
}
