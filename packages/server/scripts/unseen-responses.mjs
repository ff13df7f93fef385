// The answers that the document promises and no test has seen.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of folders with what was seen: lines of operation, status and code, "success" for the one that has none. */
export function listUnseenResponses(document, folders) {
  const files = folders.flatMap((folder) =>
    readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const seen = new Set(files.flatMap((text) => text.split('\n')));
  return listDocumentedResponses(document).filter((line) => !seen.has(line));
}

export function listDocumentedResponses(document) {
  const at = (node) =>
    node.$ref === undefined
      ? node
      : at(
          node.$ref
            .slice(2)
            .split('/')
            .reduce((inner, key) => inner[key], document),
        );
  const codes = (node) => (at(node).oneOf ?? [node]).map((one) => at(one).properties.code.const);
  const operations = Object.values(document.paths).flatMap((item) =>
    Object.values(item).filter(({ operationId }) => operationId),
  );
  return operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, answer]) => {
      const names = status === '200' ? ['success'] : codes(at(answer).content['application/json'].schema);
      return [...new Set(names)].map((name) => `${operationId} ${status} ${name}`);
    }),
  );
}
