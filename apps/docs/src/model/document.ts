/** The parts of an OpenAPI 3.1 document that the pages show. */
export interface Document {
  info: { title: string; version: string; description?: string; 'x-changes'?: ChangeNote[] };
  servers?: { url: string; variables?: Record<string, { default: string }> }[];
  security?: Record<string, string[]>[];
  tags?: Tag[];
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, SchemaObject>; responses?: Record<string, ResponseObject> };
}

export interface Tag {
  name: string;
  description?: string;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export const methods: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];
export type PathItem = { parameters?: ParameterObject[] } & { [M in Method]?: OperationObject };

export interface OperationObject {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: ParameterObject[];
  requestBody?: { $ref?: string; required?: boolean; content?: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
  security?: Record<string, string[]>[];
  'x-roles'?: {
    requires?: string;
    refuses?: string[];
    permission?: string;
    /** In words, where more than roles decides: in place of what the roles say, and in addition to it. */
    who?: string;
    note?: string;
  };
  'x-rate-limit'?: string;
  'x-changes'?: ChangeNote[];
}

/** What became different at a feature level. */
export interface ChangeNote {
  level: number;
  kind?: string;
  text: string;
}

export interface ParameterObject {
  $ref?: string;
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  deprecated?: boolean;
  description?: string;
  schema?: SchemaObject;
  content?: Record<string, MediaType>;
}

export interface ResponseObject {
  $ref?: string;
  description?: string;
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema?: SchemaObject;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Example {
  summary?: string;
  value: unknown;
  /** The call that was recorded, and those before it. */
  'x-request'?: Recipe;
  'x-given'?: Recipe[];
}

export interface Recipe {
  as?: string;
  operation?: string;
  params?: Record<string, unknown>;
  /** Files that went along, as base64. */
  files?: Record<string, string>;
  body_text?: string;
  content_type?: string;
  /** What of its answer the calls after it name. */
  answers?: Record<string, unknown>;
}

export interface SchemaObject {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, SchemaObject>;
  required?: string[];
  additionalProperties?: boolean | SchemaObject;
  items?: SchemaObject;
  /** What is inside a text of `application/json`. */
  contentSchema?: SchemaObject;
  oneOf?: SchemaObject[];
  anyOf?: SchemaObject[];
  allOf?: SchemaObject[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  'x-expects'?: string;
  'x-alias-of'?: string;
  'x-invalid-code'?: string;
  'x-changes'?: ChangeNote[];
  /** The operation whose request body it is, and nothing else. */
  'x-request-of'?: string;
  /** How each of the `examples` of an event came about, in their order. */
  'x-recorded'?: DeliveredExample[];
}

/** An event that a queue delivered. */
export interface DeliveredExample {
  summary: string;
  id: number;
  'x-request'?: Recipe;
}

/** What references refer to. */
export type WithComponents = Pick<Document, 'components'>;

/** Follows references. What stands beside a `$ref` (OpenAPI 3.1 allows a description there) wins over what it refers to. */
export function resolve<T extends { $ref?: string }>(doc: WithComponents, node: T): T {
  const { $ref, ...beside } = node;
  if ($ref === undefined) return node;
  const keys = $ref
    .replace(/^#\//, '')
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const target = keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], doc);
  if (target === undefined) throw new Error(`The document has nothing at ${$ref}.`);
  return { ...resolve(doc, target as T), ...beside };
}

export interface OperationPlace {
  path: string;
  method: Method;
  operation: OperationObject;
  /** Parameters of the path and of the operation, resolved. */
  parameters: ParameterObject[];
}

/** Every operation, in the document's order. */
export function operationsOf(doc: Document): OperationPlace[] {
  return Object.entries(doc.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => resolve(doc, one));
      return [{ path, method, operation, parameters }];
    }),
  );
}

/** The schemas that a schema stands for: the branches of a union, or itself alone. */
export function branchesOf(doc: Document, schema: SchemaObject): SchemaObject[] {
  const own = resolve(doc, schema);
  const branches = own.oneOf ?? own.anyOf;
  return branches ? branches.flatMap((branch) => branchesOf(doc, branch)) : [own];
}
