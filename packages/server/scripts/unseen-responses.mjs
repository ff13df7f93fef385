// The responses that the document promises and no test has seen.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BAD_REQUEST, findOperation, listOperations, listResponses } from '@parley/openapi/document';

/**
 * Of folders with what was seen: lines of operation, status and code, "success" for the one that has none. `BAD_REQUEST`
 * has its reason, too, where the operation has reasons of its own. `source` is the document before the generator adds the reasons that follow from rules of all
 * operations: tests see these at some operations.
 */
export function listUnseenResponses(document, folders, source = document) {
  const files = folders.flatMap((folder) =>
    readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const lines = files.flatMap((text) => text.split('\n'));
  // A line with a reason is also one of its code.
  const seen = new Set(lines.flatMap((line) => [line, line.split(' ').slice(0, 3).join(' ')]));
  return listDocumentedResponses(document, source).filter((line) => !seen.has(line));
}

export function listDocumentedResponses(document, source) {
  return listOperations(document).flatMap(({ operation }) => {
    const { operationId } = operation;
    return listResponses(document, operation).flatMap(({ status, codes }) => {
      const reasons = listOwnReasons(source, operationId, status).map((reason) => `${BAD_REQUEST} ${reason}`);
      const errors = codes.flatMap((code) => (code === BAD_REQUEST && reasons.length > 0 ? reasons : [code]));
      const names = status === '200' ? ['success'] : errors;
      return names.map((name) => `${operationId} ${status} ${name}`);
    });
  });
}

function listOwnReasons(source, operationId, status) {
  const { operation } = findOperation(source, operationId);
  return listResponses(source, operation).find((response) => response.status === status)?.reasons ?? [];
}
