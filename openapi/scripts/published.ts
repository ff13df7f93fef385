import { type BundledDocument, type Node, type OperationEntry, operationsOf, resolve } from './document.ts';
import { fieldsOf, kinds, takesKey } from './operations.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
/** Statuses of responses that follow the count; credentials are checked before it. */
const COUNTED_STATUSES = ['200', '400', '404', '429', '500', '503'];
const RETRY_STATUSES = ['429', '503'];
const RATE_LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** The document as strangers read it: what follows from rules that hold everywhere is said wherever it holds. */
export function publishedOf(doc: BundledDocument): BundledDocument {
  const published = structuredClone(doc);
  for (const place of operationsOf(published)) {
    if (takesKey(published, place)) sayKey(place);
    for (const parameter of place.parameters) describeAsText(parameter);
    putJsonFirst(published, place);
    sayEncodings(published, place);
    declareHeaders(published, place);
  }
  dropUnusedResponses(published);
  return published;
}

/** Where an operation has examples of its own, it has a copy of the response that it shares with others. */
function dropUnusedResponses(doc: BundledDocument): void {
  const text = JSON.stringify(doc);
  const isUsed = (name: string) => text.includes(`"#/components/responses/${name}"`);
  const { responses } = doc.components;
  for (const name of Object.keys(responses)) if (!isUsed(name)) delete responses[name];
}

/** An `Idempotency-Key` is no parameter of the operation itself. */
function sayKey({ operation }: OperationEntry): void {
  operation.parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/IdempotencyKey' }];
}

/** In a query, lists and objects are JSON texts. No generator encodes them itself, and all send a string as it is. */
function describeAsText(parameter: Node): void {
  if (!parameter.content) return;
  const contentSchema = parameter.content[JSON_TYPE].schema;
  parameter.schema = { type: 'string', contentMediaType: JSON_TYPE, contentSchema };
  parameter.description = `${parameter.description} Send it as JSON.`;
  delete parameter.content;
}

/**
 * Every body of a form can be a JSON object too, and most generators use the first media type only. Both media types refer to one
 * schema with a name of its own, so that generated code has one type for the body.
 */
function putJsonFirst(doc: BundledDocument, { operation }: OperationEntry): void {
  const form = operation.requestBody?.content?.[FORM];
  if (!form) return;
  form.schema = toNamedSchema(doc, operation.operationId, form.schema);
  operation.requestBody.content = { [JSON_TYPE]: { schema: form.schema }, ...operation.requestBody.content };
}

function toNamedSchema(doc: BundledDocument, operationId: string, schema: Node): Node {
  if (schema.$ref !== undefined) return schema;
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
  if (doc.components.schemas[name])
    throw new Error(`${name} is the name of a request body, which the generator gives.`);
  doc.components.schemas[name] = { 'x-request-of': operationId, ...schema };
  return { $ref: `#/components/schemas/${name}` };
}

/** Lists and objects travel as JSON inside a form. Where a text is possible as well, it stands as it is, and no encoding is true. */
function sayEncodings(doc: BundledDocument, { operation }: OperationEntry): void {
  for (const [type, media] of Object.entries<Node>(resolve(doc, operation.requestBody).content ?? {})) {
    if (type === JSON_TYPE) continue;
    const structured = Object.entries(fieldsOf(doc, media.schema).properties).filter(([, field]) => {
      const possible = kinds(doc, field);
      return !possible.includes('string') && possible.some((kind) => kind === 'array' || kind === 'object');
    });
    if (structured.length === 0) continue;
    media.encoding = Object.fromEntries(structured.map(([name]) => [name, { contentType: 'application/json' }]));
  }
}

/** Counted requests of accounts are told their rate limit; `Retry-After` comes with each error that has `retry-after`. */
function declareHeaders(doc: BundledDocument, { operation }: OperationEntry): void {
  const isCounted = (operation.security ?? doc.security).length > 0;
  for (const [status, node] of Object.entries<Node>(operation.responses)) {
    const names = [
      ...(isCounted && COUNTED_STATUSES.includes(status) ? RATE_LIMIT_HEADERS : []),
      ...(RETRY_STATUSES.includes(status) ? ['Retry-After'] : []),
    ];
    if (names.length === 0) continue;
    const response = resolve(doc, node);
    const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
    response.headers = { ...response.headers, ...Object.fromEntries(references) };
  }
}
