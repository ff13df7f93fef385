import {
  BAD_REQUEST,
  type Document,
  follow,
  listOperations,
  listReasons,
  listResponses,
  type OperationEntry,
} from '../src/document/index.ts';
import { takesKey } from './operations.ts';

/**
 * Completes `x-reasons`: the features list the reasons of the operations themselves, and those that follow from rules of all
 * operations are added.
 */
export function declareReasons(doc: Document): void {
  const order = listReasons(doc);
  for (const entry of listOperations(doc)) {
    for (const { status, codes, reasons } of listResponses(doc, entry.operation)) {
      if (status !== '400' || !codes.includes(BAD_REQUEST)) continue;
      checkNames(entry, reasons, order);
      const all = new Set([...reasons, ...listSharedReasons(doc, entry)]);
      follow(doc, entry.operation.responses[status] ?? {})['x-reasons'] = order.filter((one) => all.has(one));
    }
  }
}

/** The reasons of requests that fail before the operation begins: parameters, roles, and the `Idempotency-Key`. */
function listSharedReasons(doc: Document, entry: OperationEntry): string[] {
  const { refuses = [], requires, permission } = entry.operation['x-roles'] ?? {};
  const checksRoles = refuses.length > 0 || requires === 'bot' || permission !== undefined;
  return [
    'invalid',
    ...(checksRoles ? ['forbidden'] : []),
    ...(takesKey(doc, entry) ? ['limit_reached', 'conflict'] : []),
  ];
}

function checkNames({ operation }: OperationEntry, reasons: string[], known: string[]): void {
  const unknown = reasons.filter((reason) => !known.includes(reason));
  if (unknown.length > 0) throw new Error(`${operation.operationId}: x-reasons has ${unknown.join(', ')}.`);
}
