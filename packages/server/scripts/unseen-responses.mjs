// The responses that the document promises and no test has seen.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOperations, listResponses } from '@parley/openapi/document';

/** Of folders with what was seen: lines of operation, status and code, "success" for the one that has none. */
export function listUnseenResponses(document, folders) {
  const files = folders.flatMap((folder) =>
    readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const seen = new Set(files.flatMap((text) => text.split('\n')));
  return listDocumentedResponses(document).filter((line) => !seen.has(line));
}

export function listDocumentedResponses(document) {
  return listOperations(document).flatMap(({ operation }) =>
    listResponses(document, operation).flatMap(({ status, codes }) => {
      const names = status === '200' ? ['success'] : codes;
      return names.map((name) => `${operation.operationId} ${status} ${name}`);
    }),
  );
}
