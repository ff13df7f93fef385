import { type Document, type Node, operationsOf, resolve } from './document.ts';

/** The client's calls: one documented, typed function for each operation, and where each goes. */
export function clientCalls(doc: Document): string {
  const places = operationsOf(doc);
  const routes = places.map(
    ({ operation, method, path }) => `  ${operation.operationId}: ['${method.toUpperCase()}', '${path}'],`,
  );
  const calls = places.map(({ operation }) => {
    const id = operation.operationId;
    return `${comment(doc, operation)}\n  ${id}(...args: Arguments<'${id}'>): Promise<Payload<'${id}'>>;`;
  });
  return `import type { Arguments, Payload } from '../types.ts';

/** Verb and path of each operation. */
export const routes = {
${routes.join('\n')}
} as const;

/** Every operation of the API, as a function. Each resolves to the documented answer or rejects with a \`ParleyError\`. */
export interface Calls {
${calls.join('\n\n')}
}
`;
}

function comment(doc: Document, operation: Node): string {
  const codes = Object.entries<Node>(operation.responses)
    .filter(([status]) => status.startsWith('4'))
    .flatMap(([, answer]) => {
      const schema = resolve(doc, resolve(doc, answer).content['application/json'].schema);
      return (schema.oneOf ?? [schema]).map((one: Node) => resolve(doc, one).properties.code.const as string);
    });
  const lines = [
    `${operation.summary}.`,
    '',
    ...wrapped(operation.description),
    '',
    ...wrapped(`@throws {ParleyError} ${[...new Set(codes)].join(', ')}`),
  ];
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */`;
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
