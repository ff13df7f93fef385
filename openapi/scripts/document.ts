/** A piece of the document. Its shape is OpenAPI's; the scripts look at it one field at a time. */
// biome-ignore lint/suspicious/noExplicitAny: OpenAPI nodes are open-ended JSON, and the document is linted before it is read.
export type Node = any;

/** What one request may cost. */
export interface Budget {
  /** Bytes of the request body after decompression, without files. */
  body: number;
  /** Bytes at which a response that has pages stops. */
  response: number;
}

export interface BundledDocument {
  info: { version: string };
  servers: Node[];
  paths: Record<string, Node>;
  components: { schemas: Record<string, Node>; responses: Record<string, Node> };
  security?: Node[];
  'x-budgets': Record<string, Budget>;
}

export const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type HttpMethod = (typeof methods)[number];

/** Follows references until there is something to look at. */
export function resolve(doc: BundledDocument, node: Node): Node {
  if (node?.$ref === undefined) return node ?? {};
  const keys = (node.$ref as string).slice(2).split('/');
  return resolve(
    doc,
    keys.reduce((at: Node, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], doc),
  );
}

/** The schema of an operation's form: one with a file in it travels as `multipart/form-data`. */
export function formOf(doc: BundledDocument, operation: Node): Node | undefined {
  const content = resolve(doc, operation.requestBody).content ?? {};
  return (content['application/x-www-form-urlencoded'] ?? content['multipart/form-data'])?.schema;
}

export interface OperationEntry {
  path: string;
  method: HttpMethod;
  operation: Node;
  /** Parameters of the path and of the operation, resolved. */
  parameters: Node[];
}

export function operationsOf(doc: BundledDocument): OperationEntry[] {
  return Object.entries(doc.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const operation = item[method];
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((p) => resolve(doc, p));
        return { path, method, operation, parameters };
      }),
  );
}
