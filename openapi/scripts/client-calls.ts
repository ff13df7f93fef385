import { type BundledDocument, formOf, type Node, type OperationEntry, operationsOf, resolve } from './document.ts';
import { isDecoded, takesKey } from './operations.ts';

/** The client's calls: one documented, typed function for each operation, and where each goes. */
export function clientCalls(doc: BundledDocument): string {
  const places = operationsOf(doc);
  const lines = [...byPath(places)].map(([path, verbs]) => [path.slice(1), ...verbs.map(verb)].join(' ')).sort();
  const calls = places.map((place) => {
    const id = place.operation.operationId;
    const optional = parametersOf(doc, place).some(({ required }) => required) ? '' : '?';
    return `${comment(doc, place)}\n  ${id}(params${optional}: Params<'${id}'>, options?: CallOptions): Promise<Payload<'${id}'>>;`;
  });
  return `import type { CallOptions, Params, Payload } from '../types.ts';

/** What can be called at each path, written without its first slash, with GET where there is no method; \`+\` marks writes that may be repeated without harm. */
export const operations = \`${lines.join('\n')}\`;

/** Every operation of the API, as a function. Each resolves to the documented answer or rejects with a \`ParleyError\`. */
export interface Calls {
${calls.join('\n\n')}
}
`;
}

function verb({ method, operation }: OperationEntry): string {
  if (method === 'get') return operation.operationId;
  const mark = operation['x-repeatable'] === true ? '+:' : '';
  return `${mark}${method.toUpperCase()}:${operation.operationId}`;
}

function byPath(places: OperationEntry[]): Map<string, OperationEntry[]> {
  const verbs = new Map<string, OperationEntry[]>();
  for (const place of places) verbs.set(place.path, [...(verbs.get(place.path) ?? []), place]);
  return verbs;
}

interface Parameter {
  name: string;
  required: boolean;
  schema: Node;
  description: string;
}

function parametersOf(doc: BundledDocument, { operation, parameters }: OperationEntry): Parameter[] {
  const declared = parameters.filter(isDecoded).map((one) => ({
    name: one.name,
    required: one.required === true,
    schema: one.schema ?? one.content['application/json'].schema,
    description: one.description,
  }));
  return [...declared, ...fieldsOf(doc, formOf(doc, operation))];
}

function fieldsOf(doc: BundledDocument, node: Node): Parameter[] {
  const schema = resolve(doc, node);
  const own = Object.entries<Node>(schema.properties ?? {}).map(([name, field]) => ({
    name,
    required: schema.required?.includes(name) === true,
    schema: field,
    description: field.description ?? resolve(doc, field).description,
  }));
  const parts = (schema.allOf ?? []).flatMap((part: Node) => fieldsOf(doc, part));
  return [...parts, ...own].map((one) => ({ ...one, required: one.required || schema.required?.includes(one.name) }));
}

function comment(doc: BundledDocument, place: OperationEntry): string {
  const { operation } = place;
  const codes = Object.entries<Node>(operation.responses)
    .filter(([status]) => status !== '200')
    .flatMap(([, answer]) => {
      const schema = resolve(doc, resolve(doc, answer).content['application/json'].schema);
      return (schema.oneOf ?? [schema]).map((one: Node) => resolve(doc, one).properties.code.const as string);
    });
  const lines = [
    `${operation.summary}.`,
    '',
    ...wrapped(operation.description),
    '',
    ...parametersOf(doc, place).flatMap((one) => wrapped(parameterLine(doc, one))),
    ...(takesKey(doc, place) ? wrapped('@param options.idempotencyKey - Sends it again without doing it twice.') : []),
    ...wrapped(`@throws {ParleyError} ${[...new Set(codes)].map((code) => `\`${code}\``).join(', ')}`),
    `@since Feature level ${levelOf(doc, operation)}.`,
    `@see \`/docs/reference/${operation.operationId}/\` on your server`,
    ...(operation.deprecated ? ['@deprecated'] : []),
  ];
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */`;
}

function parameterLine(doc: BundledDocument, { name, required, schema, description }: Parameter): string {
  const usual = resolve(doc, schema).default;
  const aside = usual === undefined ? '' : ` Default: \`${JSON.stringify(usual)}\`.`;
  return `@param params.${name} - ${required ? '' : 'Optional. '}${description ?? ''}${aside}`;
}

/** The level that an operation came with; the first release has what says nothing of it. */
function levelOf(doc: BundledDocument, operation: Node): string {
  const added = (operation['x-changes'] ?? []).find(({ kind }: Node) => kind === 'added');
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
