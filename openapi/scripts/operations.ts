import {
  type Budget,
  type Document,
  describeParameter,
  getSuccessResponse,
  type JsonType,
  listOperations,
  listRequestFields,
  listTypes,
  NOT_MODIFIED,
  type OperationEntry,
  type OperationObject,
  type RequestField,
  requiresCredentials,
  resolve,
} from '../src/document/index.ts';

/** What the server must know about a parameter to undo its wire encoding, and that types cannot carry. */
interface Parameter {
  in: RequestField['in'];
  /** The JSON types its value may have, in the order the document gives them. */
  kinds: JsonType[];
  required: boolean;
  /** A description for error messages: "an array of integers". */
  expects: string;
  alias_of?: string;
  /** The code of the error for an invalid value, if it is not BAD_REQUEST. */
  invalid?: string;
  /** It is a file, of at most this many bytes. */
  max_bytes?: number;
}

/** The facts about each operation, by operationId; literal paths before those with parameters. */
export function operationTable(doc: Document): Record<string, unknown> {
  const key = (one: OperationEntry) => one.path.replaceAll('{', '~');
  const sorted = listOperations(doc).sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return Object.fromEntries(sorted.map((one) => [one.operation.operationId, toOperationFacts(doc, one)]));
}

function toOperationFacts(doc: Document, entry: OperationEntry) {
  const { path, method, operation } = entry;
  const roles = operation['x-roles'] ?? {};
  return {
    method,
    path,
    feature: operation.tags?.[0],
    auth: requiresCredentials(doc, operation) ? 'user' : 'none',
    realm: operation['x-realm'] ?? 'required',
    refuses: roles.refuses ?? [],
    requires: roles.requires ?? null,
    permission: roles.permission ?? null,
    scope: operation['x-scope'] ?? null,
    token_limit: operation['x-token-limit'] ?? null,
    limit: operation['x-rate-limit'] ?? 'account',
    takes_key: takesKey(doc, { method, operation }),
    conditional: isConditional(operation),
    streams: getSuccessResponse(doc, operation).response.content?.['text/event-stream'] !== undefined,
    budget: budgetOf(doc, operation),
    params: listParameters(doc, entry),
  };
}

function budgetOf(doc: Document, operation: OperationObject): Required<Budget> {
  const budget = doc['x-budgets']?.[operation['x-budget'] ?? ''];
  if (!budget) throw new Error(`${operation.operationId}: x-budget must name a class of x-budgets.`);
  return { ...budget, serial: budget.serial ?? false };
}

/** Whether a client can name its request with an `Idempotency-Key`. */
export function takesKey(doc: Document, { method, operation }: Pick<OperationEntry, 'method' | 'operation'>): boolean {
  return method !== 'get' && requiresCredentials(doc, operation) && operation['x-repeatable'] !== true;
}

/** Whether a client can ask for the response only if it has changed, with `If-None-Match`. */
export const isConditional = ({ responses }: OperationObject): boolean => responses[NOT_MODIFIED] !== undefined;

/** Headers are read where they are needed. */
function listParameters(doc: Document, entry: OperationEntry): Record<string, Parameter> {
  const fields = listRequestFields(doc, entry);
  const params = Object.fromEntries(fields.map((field) => [field.name, toParameter(doc, field)]));
  const files = Object.values(params).filter(({ max_bytes }) => max_bytes !== undefined);
  // The server takes the one file part of a body for the file, whatever its name.
  if (files.length > 1) throw new Error(`${entry.operation.operationId}: an operation can take only one file.`);
  return params;
}

function toParameter(doc: Document, field: RequestField): Parameter {
  const schema = resolve(doc, field.schema);
  const kinds = listTypes(doc, schema);
  if (kinds.length === 0) throw new Error(`A parameter needs a type: ${JSON.stringify(schema)}`);
  return {
    in: field.in,
    kinds,
    required: field.required,
    expects: describeParameter(doc, schema),
    ...(schema['x-alias-of'] && { alias_of: schema['x-alias-of'] }),
    ...(schema['x-invalid-code'] && { invalid: schema['x-invalid-code'] }),
    ...(schema.format === 'binary' && schema['x-max-bytes'] && { max_bytes: schema['x-max-bytes'] }),
  };
}
