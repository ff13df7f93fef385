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

/** The client's calls: one documented, typed function for each operation, and where each goes. */
export function clientCalls(doc: Document): string {
  const entries = listOperations(doc);
  const lines = [...byPath(entries)].map(([path, verbs]) => [path.slice(1), ...verbs.map(verb)].join(' ')).sort();
  const calls = entries.map((entry) => {
    const id = entry.operation.operationId;
    const optional = listRequestFields(doc, entry).some(({ required }) => required) ? '' : '?';
    return `${comment(doc, entry)}\n  ${id}(params${optional}: Params<'${id}'>, options?: CallOptions): Call<'${id}'>;`;
  });
  return `import type { Call, CallOptions, Params } from '../types.ts';

/** What can be called at each path, written without its first slash, with GET where there is no method; \`+\` marks writes that may be repeated without harm, \`-\` those that take no Idempotency-Key. */
export const operations = \`${lines.join('\n')}\`;

/** Every operation of the API, as a function. Each resolves to the documented answer or rejects with a \`ParleyError\`. */
export interface Calls {
${calls.join('\n\n')}
}
`;
}

function verb({ method, operation }: OperationEntry): string {
  if (method === 'get') return operation.operationId;
  // Without credentials there is no account whose keys the server could know.
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
    ...(takesKey(doc, entry) ? wrapped('@param options.idempotencyKey - Sends it again without doing it twice.') : []),
    ...wrapped(`@throws {ParleyError} ${[...new Set(codes)].map((code) => `\`${code}\``).join(', ')}`),
    `@since Feature level ${levelOf(doc, operation)}.`,
    `@see \`/docs/reference/${operation.operationId}/\` on your server`,
    ...(operation.deprecated ? ['@deprecated'] : []),
  ];
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */`;
}

function parameterLine(doc: Document, { name, required, schema, description }: RequestField): string {
  const usual = resolve(doc, schema).default;
  const aside = usual === undefined ? '' : ` Default: \`${JSON.stringify(usual)}\`.`;
  return `@param params.${name} - ${required ? '' : 'Optional. '}${description ?? ''}${aside}`;
}

/** The level that an operation came with; the first release has what says nothing of it. */
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
