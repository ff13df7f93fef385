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
  for (const place of listOperations(doc)) {
    for (const { status, codes, reasons } of listResponses(doc, place.operation)) {
      if (status !== '400' || !codes.includes(BAD_REQUEST)) continue;
      checkNames(place, reasons, order);
      const all = new Set([...reasons, ...listSharedReasons(doc, place)]);
      follow(doc, place.operation.responses[status] ?? {})['x-reasons'] = order.filter((one) => all.has(one));
    }
  }
}

/** The reasons of requests that fail before the operation begins: parameters, roles, and the `Idempotency-Key`. */
function listSharedReasons(doc: Document, place: OperationEntry): string[] {
  const { refuses = [], requires, permission } = place.operation['x-roles'] ?? {};
  const checksRoles = refuses.length > 0 || requires === 'bot' || permission !== undefined;
  return [
    'invalid',
    ...(checksRoles ? ['forbidden'] : []),
    ...(takesKey(doc, place) ? ['limit_reached', 'conflict'] : []),
  ];
}

function checkNames({ operation }: OperationEntry, reasons: string[], known: string[]): void {
  const unknown = reasons.filter((reason) => !known.includes(reason));
  if (unknown.length > 0) throw new Error(`${operation.operationId}: x-reasons has ${unknown.join(', ')}.`);
}
