import {
  type Document,
  type HttpMethod,
  listOperations,
  listRequestFields,
  type OperationEntry,
  type OperationObject,
  requiresCredentials,
} from '../src/document/index.ts';

/** The scope of operations that no token is for, only the API key of the account. */
const KEY = 'key';

/**
 * Says of each operation with credentials which scope a token needs for it, and declares the error response of tokens without it.
 * What follows from the method and the roles need not be written.
 */
export function declareScopes(doc: Document): void {
  for (const entry of listOperations(doc)) {
    const { operation, method } = entry;
    if (!requiresCredentials(doc, operation)) continue;
    operation['x-scope'] ??= defaultScope(operation, method);
    if (operation['x-scope'] === KEY) operation.security = [{ apiKey: [] }];
    operation.responses['403'] = { $ref: '#/components/responses/InsufficientScope' };
    checkLimit(doc, entry);
  }
}

function defaultScope(operation: OperationObject, method: HttpMethod): string {
  if (operation['x-roles']?.requires === 'administrator') return 'admin';
  return method === 'get' ? 'read' : 'write';
}

/** A limit that names a parameter which is not there would hold nothing. */
function checkLimit(doc: Document, entry: OperationEntry): void {
  const { operationId, 'x-token-limit': limit } = entry.operation;
  if (limit === undefined || limit === 'queue') return;
  if (listRequestFields(doc, entry).some(({ name }) => name === limit)) return;
  throw new Error(`${operationId}: x-token-limit names no parameter: ${limit}.`);
}
