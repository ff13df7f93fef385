import { resolve, type WithComponents } from './resolve.ts';
import { getProperties, listErrorCodes } from './schemas.ts';
import {
  type Document,
  type Example,
  type HttpMethod,
  httpMethods,
  type OperationObject,
  type ParameterObject,
  type ResponseObject,
  type SchemaObject,
} from './types.ts';

export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';
export const MULTIPART_TYPE = 'multipart/form-data';

export interface OperationEntry {
  path: string;
  method: HttpMethod;
  operation: OperationObject;
  /** Parameters of the path and of the operation, resolved. */
  parameters: ParameterObject[];
}

/** Every operation, in the document's order. */
export function listOperations(doc: Pick<Document, 'paths' | 'components'>): OperationEntry[] {
  return Object.entries(doc.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => resolve(doc, one));
      return [{ path, method, operation, parameters }];
    }),
  );
}

export function findOperation(doc: Document, operationId: string | undefined): OperationEntry | undefined {
  return listOperations(doc).find(({ operation }) => operation.operationId === operationId);
}

/** Whether a request needs an API key or a token. */
export const requiresCredentials = (doc: Pick<Document, 'security'>, operation: OperationObject): boolean =>
  (operation.security ?? doc.security ?? []).length > 0;

/** The schema of a parameter's value before it is encoded. */
export function getValueSchema({ schema, content }: ParameterObject): SchemaObject {
  return schema?.contentSchema ?? schema ?? content?.[JSON_TYPE]?.schema ?? {};
}

/** Media types of a request body. An operation that accepts several has one schema for all of them. */
const BODY_TYPES = [FORM_TYPE, MULTIPART_TYPE, JSON_TYPE];

/** The schema of a request body. */
export function getBodySchema(doc: WithComponents, { requestBody }: OperationObject): SchemaObject | undefined {
  const content = requestBody && resolve(doc, requestBody).content;
  return BODY_TYPES.map((type) => content?.[type]?.schema).find((schema) => schema !== undefined);
}

/** What a client can send: a parameter, or a field of the body. */
export interface RequestField {
  name: string;
  in: ParameterObject['in'] | 'body';
  required: boolean;
  /** Before it is encoded; references are not resolved. */
  schema: SchemaObject;
  description: string | undefined;
}

/** The parameters of the path and of the query, then the fields of the body. Headers are not among them. */
export function listRequestFields(doc: WithComponents, { operation, parameters }: OperationEntry): RequestField[] {
  const body = getBodySchema(doc, operation);
  const { properties, required } = getProperties(doc, body ?? {});
  return [
    ...parameters.filter(isInUrl).map((one) => ({
      name: one.name,
      in: one.in,
      required: one.required === true,
      schema: getValueSchema(one),
      description: one.description,
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'body' as const,
      required: required.has(name),
      schema,
      description: resolve(doc, schema).description,
    })),
  ];
}

const isInUrl = (parameter: ParameterObject): boolean => parameter.in === 'path' || parameter.in === 'query';

/** A response that an operation documents. */
export interface ResponseEntry {
  status: string;
  /** Resolved. */
  response: ResponseObject;
  /** The name of the component that it is, where it is one of those that operations share. */
  component: string | undefined;
  /** Of JSON; absent where the response has none. */
  schema: SchemaObject | undefined;
  /** Of JSON, by name. */
  examples: Record<string, Example>;
  /** The error codes that it can have. */
  codes: string[];
  /** The reasons that it can have with the code `BAD_REQUEST`. */
  reasons: string[];
}

const SUCCESS = '200';
export const NOT_MODIFIED = '304';

/** The responses that an operation documents, lowest status first. */
export function listResponses(doc: WithComponents, operation: OperationObject): ResponseEntry[] {
  return Object.entries(operation.responses).map(([status, node]) => toResponseEntry(doc, status, node));
}

/** The documented responses that have a code. */
export const listErrorResponses = (doc: WithComponents, operation: OperationObject): ResponseEntry[] =>
  listResponses(doc, operation).filter(({ status }) => status !== SUCCESS && status !== NOT_MODIFIED);

export function getSuccessResponse(doc: WithComponents, { responses }: OperationObject): ResponseEntry {
  return toResponseEntry(doc, SUCCESS, responses[SUCCESS] ?? {});
}

function toResponseEntry(doc: WithComponents, status: string, node: ResponseObject): ResponseEntry {
  const response = resolve(doc, node);
  const { schema, examples = {} } = response.content?.[JSON_TYPE] ?? {};
  const codes = schema && status !== SUCCESS ? listErrorCodes(doc, schema) : [];
  const { 'x-reasons': reasons = [] } = response;
  return { status, response, component: node.$ref?.split('/').at(-1), schema, examples, codes, reasons };
}
