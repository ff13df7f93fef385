import {
  type Document,
  FORM_TYPE,
  follow,
  getProperties,
  isReference,
  isSentAsJson,
  JSON_TYPE,
  listOperations,
  type OperationEntry,
  type ParameterObject,
  requiresCredentials,
  resolve,
  type SchemaObject,
} from '../src/document/index.ts';
import { isConditional, takesKey } from './operations.ts';

/** Statuses of responses that follow the count; credentials are checked before it. */
const COUNTED_STATUSES = ['200', '304', '400', '403', '404', '429', '500', '503'];
const RETRY_STATUSES = ['429', '503'];
const TAGGED_STATUSES = ['200', '304'];
const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** The document as strangers read it: what follows from rules that hold everywhere is said wherever it holds. */
export function publishedOf(doc: Document): Document {
  const published = structuredClone(doc);
  for (const entry of listOperations(published)) {
    if (takesKey(published, entry)) sayKey(entry);
    for (const parameter of entry.parameters) describeAsText(parameter);
    putJsonFirst(published, entry);
    sayEncodings(published, entry);
    declareHeaders(published, entry);
  }
  dropUnusedResponses(published);
  return published;
}

/** Where an operation has examples of its own, it has a copy of the response that it shares with others. */
function dropUnusedResponses(doc: Document): void {
  const text = JSON.stringify(doc);
  const isUsed = (name: string) => text.includes(`"#/components/responses/${name}"`);
  const { responses = {} } = doc.components;
  for (const name of Object.keys(responses)) if (!isUsed(name)) delete responses[name];
}

/** An `Idempotency-Key` is no parameter of the operation itself. */
function sayKey({ operation }: OperationEntry): void {
  const key = { $ref: '#/components/parameters/IdempotencyKey' } as ParameterObject;
  operation.parameters = [...(operation.parameters ?? []), key];
}

/** In a query, lists and objects are JSON texts. No generator encodes them itself, and all send a string as it is. */
function describeAsText(parameter: ParameterObject): void {
  const contentSchema = parameter.content?.[JSON_TYPE]?.schema;
  if (!contentSchema) return;
  parameter.schema = { type: 'string', contentMediaType: JSON_TYPE, contentSchema };
  parameter.description = `${parameter.description} Send it as JSON.`;
  delete parameter.content;
}

/**
 * Every body of a form can be a JSON object too, and most generators use the first media type only. Both media types refer to one
 * schema with a name of its own, so that generated code has one type for the body.
 */
function putJsonFirst(doc: Document, { operation }: OperationEntry): void {
  const { operationId, requestBody } = operation;
  const form = requestBody?.content?.[FORM_TYPE];
  if (!requestBody || !form?.schema) return;
  form.schema = toNamedSchema(doc, operationId, form.schema);
  requestBody.content = { [JSON_TYPE]: { schema: form.schema }, ...requestBody.content };
}

function toNamedSchema(doc: Document, operationId: string, schema: SchemaObject): SchemaObject {
  if (isReference(schema)) return schema;
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
  if (doc.components.schemas[name])
    throw new Error(`${name} is the name of a request body, which the generator gives.`);
  doc.components.schemas[name] = { 'x-request-of': operationId, ...schema };
  return { $ref: `#/components/schemas/${name}` };
}

/** Arrays and objects are JSON inside a form. If the value can be a string as well, which is not JSON, no encoding describes both. */
function sayEncodings(doc: Document, { operation }: OperationEntry): void {
  const body = resolve(doc, operation.requestBody ?? {});
  for (const [type, media] of Object.entries(body.content ?? {})) {
    if (type === JSON_TYPE || !media.schema) continue;
    const { properties } = getProperties(doc, media.schema);
    const encoded = Object.keys(properties).filter((name) => isSentAsJson(doc, properties[name] ?? {}));
    if (encoded.length === 0) continue;
    media.encoding = Object.fromEntries(encoded.map((name) => [name, { contentType: JSON_TYPE }]));
  }
}

/** Every response has the id of its request; responses to counted requests of accounts have the rate limit; `Retry-After` comes with each error that has `retry-after`, and `ETag` with each response that can be 304. */
function declareHeaders(doc: Document, { operation }: OperationEntry): void {
  const isCounted = requiresCredentials(doc, operation);
  for (const [status, node] of Object.entries(operation.responses)) {
    const names = [
      'X-Request-Id',
      ...(isCounted && COUNTED_STATUSES.includes(status) ? RATE_LIMIT_HEADERS : []),
      ...(RETRY_STATUSES.includes(status) ? ['Retry-After'] : []),
      ...(isConditional(operation) && TAGGED_STATUSES.includes(status) ? ['ETag'] : []),
    ];
    const response = follow(doc, node);
    const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
    response.headers = { ...response.headers, ...Object.fromEntries(references) };
  }
}
