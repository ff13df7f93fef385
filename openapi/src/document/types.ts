/** The parts of an OpenAPI 3.1 document that are read, with the extensions that this one has. */
export interface Document {
  openapi?: string;
  info: { title?: string; version: string; description?: string; 'x-changes'?: ChangeNote[] };
  servers?: { url: string; variables?: Record<string, { default: string }> }[];
  security?: SecurityRequirement[];
  tags?: Tag[];
  paths: Record<string, PathItem>;
  components: Components;
  /** What requests of each class may cost, by its name. */
  'x-budgets'?: Record<string, Budget>;
}

export interface Components {
  schemas: Record<string, SchemaObject>;
  responses?: Record<string, ResponseObject>;
  parameters?: Record<string, ParameterObject>;
}

/** What one request may cost. */
export interface Budget {
  /** Bytes of the request body after decompression, without files. */
  body: number;
  /** Bytes at which a response that has pages stops. */
  response: number;
  /** Whether an account has one request of such classes in progress, and the others wait. */
  serial?: boolean;
}

type SecurityRequirement = Record<string, string[]>;

export interface Tag {
  name: string;
  description?: string;
}

export const httpMethods = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type HttpMethod = (typeof httpMethods)[number];
export type PathItem = { parameters?: ParameterObject[] } & { [M in HttpMethod]?: OperationObject };

export interface OperationObject {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: ParameterObject[];
  requestBody?: RequestBody;
  responses: Record<string, ResponseObject>;
  /** In place of the document's own; empty where no credentials are needed. */
  security?: SecurityRequirement[];
  'x-roles'?: {
    requires?: string;
    refuses?: string[];
    permission?: string;
    /** Descriptions of the rule, if other facts than roles decide: instead of the roles, and in addition to them. */
    who?: string;
    note?: string;
    /** Kinds of callers whom the roles let in, and whom the rule in these words keeps out: see `findPermissionError`. */
    restricts?: string[];
  };
  'x-realm'?: string;
  'x-rate-limit'?: string;
  'x-repeatable'?: boolean;
  'x-budget'?: string;
  'x-scope'?: string;
  'x-token-limit'?: string;
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
  example?: unknown;
}

export interface RequestBody {
  $ref?: string;
  required?: boolean;
  content?: Record<string, MediaType>;
}

export interface ResponseObject {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref?: string }>;
  content?: Record<string, MediaType>;
  /** The reasons that a `BAD_REQUEST` of this response can have. */
  'x-reasons'?: string[];
}

export interface MediaType {
  schema?: SchemaObject;
  encoding?: Record<string, { contentType: string }>;
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

/** A call of an operation, by which an example is made. */
export interface Recipe {
  /** The user who calls. */
  as?: string;
  operation?: string;
  params?: Record<string, unknown>;
  /** Files that are sent with it, as base64. */
  files?: Record<string, string>;
  file_names?: Record<string, string>;
  /** The secret of the token that it is sent with, in place of the API key of `as`. */
  token?: string;
  /** A raw body, for what the client would not send. */
  body_text?: string;
  content_type?: string;
  /** The page that sends it. */
  origin?: string;
  /** What of its response the calls after it name. */
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
  unevaluatedProperties?: boolean;
  items?: SchemaObject;
  contentMediaType?: string;
  /** What is inside a string of `application/json`. */
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
  'x-default'?: unknown;
  'x-alias-of'?: string;
  'x-invalid-code'?: string;
  'x-max-bytes'?: number;
  /** The list in `enum` is for readers and generators, and no rule. */
  'x-open-enum'?: boolean;
  /** The type of the client that an integer has, such as `UserId`: what it is an id of. */
  'x-id'?: string;
  'x-changes'?: ChangeNote[];
  /** The operation whose request body it is, and nothing else. */
  'x-request-of'?: string;
  /** How each of the `examples` of an event was made, in their order. */
  'x-recorded'?: DeliveredExample[];
}

/** An event that a queue delivered. */
export interface DeliveredExample {
  name: string;
  summary: string;
  id: number;
  'x-request'?: Recipe;
  'x-given'?: Recipe[];
  /** The user whose queue it is. */
  'x-heard-by'?: string;
}
