// The JSON Schemas of each operation, as the server validates: parameters after decoding, and responses before they are sent.

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI nodes are open-ended JSON; the document was linted when it was built.
type Node = any;

/** A JSON Schema without references. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What an operation accepts and returns. */
export interface OperationSchemas {
  /** All parameters as one object: those of the path, of the query and of the body share one namespace. */
  readonly request: JsonSchema;
  /** Response bodies by status, closed to undocumented fields. Undefined: the response has no body. */
  readonly responses: Readonly<Record<string, JsonSchema | undefined>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** Media types of request bodies. An operation that accepts several documents one schema for all of them. */
const BODY_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'];
/** Statuses from here on are sent without validation: they report that the server itself failed. */
const UNVALIDATED = 500;

/** The schemas of every operation of the OpenAPI document, by operation id. */
export function listOperationSchemas(document: object): Map<string, OperationSchemas> {
  const doc: Node = document;
  const found = new Map<string, OperationSchemas>();
  for (const item of Object.values<Node>(doc.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const request = requestSchema(doc, item.parameters ?? [], operation);
      found.set(operation.operationId, { request, responses: responseSchemas(doc, operation) });
    }
  }
  return found;
}

function requestSchema(doc: Node, shared: Node[], operation: Node): JsonSchema {
  const parameters = [...shared, ...(operation.parameters ?? [])]
    .map((parameter) => resolve(doc, parameter))
    .filter((parameter) => parameter.in !== 'header');
  const schemaOf = (p: Node) => p.schema.contentSchema ?? p.schema;
  const content = resolve(doc, operation.requestBody ?? {}).content ?? {};
  const body = BODY_TYPES.map((type) => content[type]?.schema).find((schema) => schema !== undefined);
  const outsideBody = {
    type: 'object',
    required: parameters.filter((p) => p.required).map((p) => p.name),
    properties: Object.fromEntries(parameters.map((p) => [p.name, schemaOf(p)])),
  };
  return inlined(doc, { type: 'object', allOf: [outsideBody, ...(body ? [body] : [])] }, withOpenEnums);
}

function responseSchemas(doc: Node, operation: Node): Record<string, JsonSchema | undefined> {
  const validated = Object.entries<Node>(operation.responses).filter(([status]) => Number(status) < UNVALIDATED);
  return Object.fromEntries(
    validated.map(([status, response]) => {
      const schema = resolve(doc, response).content?.['application/json']?.schema;
      return [status, schema && closed(inlined(doc, schema, unchanged), false)];
    }),
  );
}

/** A copy without references, and without what says nothing about validity. */
function inlined(doc: Node, node: Node, adapt: (schema: Node) => Node): Node {
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, description, example, examples, deprecated, ...schema } = adapt(resolve(doc, node));
  const rest = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-'));
  return ofSubschemas(Object.fromEntries(rest), (subschema) => inlined(doc, subschema, adapt));
}

const unchanged = (schema: Node): Node => schema;

/** The operation itself judges values of requests that the document does not list. */
function withOpenEnums(schema: Node): Node {
  if (!schema['x-open-enum']) return schema;
  const { enum: _, ...others } = schema;
  return others;
}

/** A copy in which objects have no fields but the documented ones. `open`: an outer schema closes this one. */
function closed(schema: Node, open: boolean): Node {
  if (typeof schema !== 'object' || schema === null) return schema;
  const isObject = schema.type === 'object' || schema.properties !== undefined || schema.allOf !== undefined;
  const copy = ofSubschemas(schema, (subschema, keyword) => {
    if (keyword === 'not') return subschema;
    return closed(subschema, keyword === 'allOf' || (open && (keyword === 'oneOf' || keyword === 'anyOf')));
  });
  const isClosed = isObject && !open && schema.additionalProperties === undefined;
  return isClosed ? { ...copy, unevaluatedProperties: false } : copy;
}

type Change = (subschema: Node, keyword: string) => Node;

/** The schema with each of its direct subschemas changed. */
function ofSubschemas(schema: Record<string, Node>, change: Change): Node {
  const changed = Object.entries(schema).map(([keyword, value]) => {
    if (['allOf', 'oneOf', 'anyOf'].includes(keyword)) {
      return [keyword, value.map((one: Node) => change(one, keyword))];
    }
    if (keyword === 'properties') {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one, keyword)]))];
    }
    return [keyword, ['items', 'additionalProperties', 'not'].includes(keyword) ? change(value, keyword) : value];
  });
  return Object.fromEntries(changed);
}

function resolve(doc: Node, node: Node): Node {
  if (node.$ref === undefined) return node;
  const keys = (node.$ref as string).slice(2).split('/');
  return resolve(
    doc,
    keys.reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], doc),
  );
}
