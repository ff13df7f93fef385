import {
  type Document,
  listErrorResponses,
  listOperations,
  listRequestFields,
  type OperationEntry,
  type OperationObject,
  type RequestField,
  resolve,
} from '../src/document/index.ts';
import { takesKey } from './operations.ts';

/** The calls of the client: a documented, typed function for each operation, and the paths and methods. */
export function clientCalls(doc: Document): string {
  const entries = listOperations(doc);
  const lines = [...byPath(entries)].map(([path, verbs]) => [path.slice(1), ...verbs.map(verb)].join(' ')).sort();
  const calls = entries.map((entry) => {
    const id = entry.operation.operationId;
    const optional = listRequestFields(doc, entry).some(({ required }) => required) ? '' : '?';
    return `${comment(doc, entry)}\n  ${id}(params${optional}: Params<'${id}'>, options?: CallOptions): Call<'${id}'>;`;
  });
  return `import type { Call, CallOptions, Params } from '../types.ts';

/** The operations of each path. The path has no first slash. The method is GET if it is absent. \`+\` marks writes that can be repeated safely, \`-\` those without Idempotency-Key. */
export const operations = \`${lines.join('\n')}\`;

/** Each operation of the API, as a function. It resolves to the documented response or rejects with a \`ParleyError\`. */
export interface Calls {
${calls.join('\n\n')}
}
`;
}

function verb({ method, operation }: OperationEntry): string {
  if (method === 'get') return operation.operationId;
  // Idempotency keys belong to accounts, so requests without credentials have none.
  const unkeyed = operation.security?.length === 0 ? '-:' : '';
  const mark = operation['x-repeatable'] === true ? '+:' : unkeyed;
  return `${mark}${method.toUpperCase()}:${operation.operationId}`;
}

function byPath(entries: OperationEntry[]): Map<string, OperationEntry[]> {
  const verbs = new Map<string, OperationEntry[]>();
  for (const entry of entries) verbs.set(entry.path, [...(verbs.get(entry.path) ?? []), entry]);
  return verbs;
}

function comment(doc: Document, entry: OperationEntry): string {
  const { operation } = entry;
  const codes = listErrorResponses(doc, operation).flatMap((response) => response.codes);
  const lines = [
    `${operation.summary}.`,
    '',
    ...wrapped(operation.description ?? ''),
    '',
    ...listRequestFields(doc, entry).flatMap((one) => wrapped(parameterLine(doc, one))),
    ...(takesKey(doc, entry)
      ? wrapped('@param options.idempotencyKey - The server carries out requests with the same key once.')
      : []),
    ...wrapped(`@throws {ParleyError} ${[...new Set(codes)].map((code) => `\`${code}\``).join(', ')}`),
    `@since Feature level ${levelOf(doc, operation)}.`,
    `@see \`/docs/reference/${operation.operationId}/\` on your server`,
    ...(operation.deprecated ? ['@deprecated'] : []),
  ];
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */`;
}

function parameterLine(doc: Document, { name, required, schema, description }: RequestField): string {
  const usual = resolve(doc, schema).default;
  const suffix = usual === undefined ? '' : ` Default: \`${JSON.stringify(usual)}\`.`;
  return `@param params.${name} - ${required ? '' : 'Optional. '}${description ?? ''}${suffix}`;
}

/** The level that added an operation; without a note it is that of the first release. */
function levelOf(doc: Document, operation: OperationObject): string {
  const added = (operation['x-changes'] ?? []).find(({ kind }) => kind === 'added');
  return String(added?.level ?? doc.info.version);
}

function wrapped(text: string): string[] {
  return text
    .replaceAll('*/', '* /')
    .split(/\s+/)
    .reduce<string[]>((lines, word) => {
      const last = lines.at(-1);
      if (last !== undefined && last.length + word.length < 110) lines[lines.length - 1] = `${last} ${word}`.trim();
      else lines.push(word);
      return lines;
    }, []);
}
