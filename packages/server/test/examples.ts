// The examples of the document, as things to execute: who calls what after which calls, and what comes back.
import { readDocument } from '@parley/openapi';

export interface RecipeStep {
  as?: string;
  operation?: string;
  params?: Record<string, unknown>;
  /** Files that go along, as base64. */
  files?: Record<string, string>;
  /** What they are called. */
  file_names?: Record<string, string>;
  /** A raw body, to provoke what the client would not send. */
  body_text?: string;
  content_type?: string;
  /** Of the page that sends it. */
  origin?: string;
  /** What of its answer the calls after it name. */
  answers?: Record<string, unknown>;
}

export interface RecordedExample {
  operation: string;
  name: string;
  status: number;
  request: RecipeStep;
  given: RecipeStep[];
  value: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI nodes are open-ended JSON; the document was linted when it was built.
type Node = any;

const document: Node = readDocument();

export interface DocumentedOperation {
  id: string;
  method: string;
  path: string;
  node: Node;
  examples: RecordedExample[];
  /** Codes that the operation documents itself, beyond what every operation shares. */
  codes: string[];
}

export const resolve = (node: Node): Node =>
  node?.$ref
    ? resolve(
        node.$ref
          .slice(2)
          .split('/')
          .reduce((at: Node, key: string) => at[key.replaceAll('~1', '/')], document),
      )
    : node;

/** The code that every operation shares, and that one operation documents in a response of its own. */
const EVERYWHERE = 'SERVICE_UNAVAILABLE';

export const operations: DocumentedOperation[] = Object.entries<Node>(document.paths).flatMap(([path, item]) =>
  ['get', 'post', 'put', 'patch', 'delete']
    .filter((method) => item[method])
    .map((method) => {
      const node = item[method];
      const own = Object.entries<Node>(node.responses).filter(
        ([, answer]) => !answer.$ref || answer.$ref.endsWith('/Done'),
      );
      return {
        id: node.operationId,
        method,
        path,
        node,
        examples: own
          .flatMap(([status, answer]) => examplesOf(node.operationId, Number(status), resolve(answer)))
          .filter(({ name }) => name !== EVERYWHERE),
        codes: own
          .filter(([status]) => status !== '200')
          .flatMap(([, answer]) => codesOf(answer))
          .filter((code) => code !== EVERYWHERE),
      };
    }),
);

/** What a queue delivers, and how it came about. Where nothing can be called for it, the example is written by hand. */
export interface EventExample {
  schema: string;
  name: string;
  type: string;
  /** Values that `op` can have; none where events of the type have no `op`. */
  ops: string[];
  by: string;
  request: RecipeStep | undefined;
  given: RecipeStep[];
  value: unknown;
}

export const eventExamples: EventExample[] = document.components.schemas.Event.oneOf.flatMap(({ $ref }: Node) => {
  const { properties, examples, 'x-recorded': recorded } = resolve({ $ref });
  return recorded.map((recipe: Node, n: number) => ({
    schema: $ref.split('/').at(-1),
    name: recipe.name,
    type: properties.type.const,
    ops: properties.op?.enum ?? [properties.op?.const ?? []].flat(),
    by: recipe['x-heard-by'] ?? 'hamlet',
    request: recipe['x-request'],
    given: recipe['x-given'] ?? [],
    value: { ...examples[n], id: recipe.id },
  }));
});

export function codesOf(answer: Node): string[] {
  const schema = resolve(resolve(answer).content['application/json'].schema);
  return (schema.oneOf ?? [schema]).map((one: Node) => resolve(one).properties.code.const);
}

function examplesOf(operation: string, status: number, answer: Node): RecordedExample[] {
  return Object.entries<Node>(answer.content?.['application/json'].examples ?? {}).map(([name, node]) => {
    const example = resolve(node);
    return {
      operation,
      name,
      status,
      request: example['x-request'] ?? {},
      given: example['x-given'] ?? [],
      value: example.value,
    };
  });
}

export const sharedExamples: Record<string, { value: { code: string }; 'x-request': RecipeStep }> = Object.assign(
  {},
  ...Object.values<Node>(document.components.responses).map(
    (answer) => answer.content?.['application/json'].examples ?? {},
  ),
);

export { document };
