// express-openapi-validator, told of the document as `decode` leaves requests: all parameters of an operation are one body.
import { createRequire } from 'node:module';
import { operations, readDocument } from '@parley/openapi';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { OperationId } from '../core/contract.ts';
import { ApiError, refuse } from '../core/errors.ts';
import { lazy } from '../core/lazy.ts';
import { callOf } from './call.ts';
import { parametersOf, SentFile } from './decode.ts';
import { standIn } from './stand-in.ts';

const require = createRequire(import.meta.url);
const library = lazy(() => require('express-openapi-validator') as typeof import('express-openapi-validator'));

// biome-ignore lint/suspicious/noExplicitAny: OpenAPI nodes are open-ended JSON; the document was linted when it was built.
type Node = any;

const FORM = 'application/x-www-form-urlencoded';
export const PREFIX = '/api/v1';

/** What to do with an answer that is not the documented one. Absent: fail the request. */
export type OnBadResponse = (problem: Error, operation: OperationId) => void;

export interface Validators {
  /** Finds the operation in the document. */
  metadata: RequestHandler;
  /** Hooks `res.json`: whatever is answered from here on is checked against the document. */
  response: RequestHandler[];
  request: RequestHandler;
}

// Made when first needed, and once: it takes half a second, most commands never need it, and the document does not change.
let made: Validators | undefined;

/** The validators of all operations. Of bad answers they tell `locals.onBadResponse` of the Express server, if it has one. */
export function validators(): Validators {
  made ??= makeValidators(readDocument());
  return made;
}

/** The validators of one operation: a command makes only these, which takes a tenth of the time. */
export function validatorsOf(id: OperationId): Validators {
  if (made) return made;
  const { path } = operations[id];
  const document: Node = readDocument();
  return makeValidators({ ...document, paths: { [path]: document.paths[path] } });
}

function makeValidators(document: object): Validators {
  const { middleware } = library();
  const chain = middleware({
    apiSpec: forValidation(document),
    validateApiSpec: false,
    validateSecurity: false,
    fileUploader: false,
    validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false },
    validateResponses: { onError: report },
  } as unknown as Parameters<typeof middleware>[0]) as RequestHandler[];
  compileAlone((middleware as unknown as { _oav?: Partial<Compiling> })._oav ?? {});
  const named = (name: string): RequestHandler => {
    const found = chain.find((layer) => layer.name === name);
    if (!found) throw new Error(`express-openapi-validator has no ${name} any more`);
    return found;
  };
  const metadata = remembered(named('metadataMiddleware'));
  const response = [metadata, named('responseMiddleware'), ofOneType, standIn];
  return { metadata, response, request: inOurWords(named('requestMiddleware')) };
}

type Compile = (document: object, ...others: unknown[]) => RequestHandler;

/** What the library's object makes its checks of requests and of answers with. */
interface Compiling {
  requestValidationMiddleware: Compile;
  responseValidationMiddleware: Compile;
}

/**
 * The library puts the whole document into each check that it compiles, and walks through it: a tenth of a second for each
 * operation, in which nobody is answered. `forValidation` leaves no references, so a check needs nothing but its own schema.
 */
function compileAlone(library: Partial<Compiling>): void {
  for (const name of ['requestValidationMiddleware', 'responseValidationMiddleware'] as const) {
    const compile = library[name];
    if (!compile) throw new Error(`express-openapi-validator has no ${name} any more`);
    library[name] = (document, ...others) =>
      compile.call(library, { ...document, paths: {}, components: {} }, ...others);
  }
}

function report(problem: Error, _body: unknown, req: Request): void {
  const { onBadResponse } = req.app.locals as { onBadResponse?: OnBadResponse };
  if (!onBadResponse) throw problem;
  onBadResponse(problem, callOf(req).id);
}

/** The validator compiles a check of the answers for each content type that requests claim; strangers get none of their own. */
const ofOneType: RequestHandler = (req, res, next) => {
  const check = res.json;
  res.json = (body: unknown) => {
    if (req.headers['content-type'] !== FORM) req.headers = { ...req.headers, 'content-type': FORM };
    return check.call(res, body);
  };
  next();
};

interface Described extends Request {
  openapi?: object;
}

/** The validator finds an operation by trying the routes one by one; an operation once found is found at once. */
function remembered(metadata: RequestHandler): RequestHandler {
  const found = new Map<string, object>();
  return (req: Described, res, next) => {
    const { id } = callOf(req);
    const known = found.get(id);
    if (known) {
      req.openapi = { ...known, pathParams: {} };
      return next();
    }
    return metadata(req, res, (error?: unknown) => {
      if (!error && req.openapi) found.set(id, req.openapi);
      next(error);
    });
  };
}

interface Problem {
  path: string;
  message: string;
  errorCode?: string;
}

function inOurWords(request: RequestHandler): RequestHandler {
  return (req: Described, res: Response, next: NextFunction) => {
    const call = callOf(req);
    const { fields, files } = divided(call.params);
    req.body = fields;
    // One shape whatever came over the wire; the validator keeps a validator for each content type it meets.
    req.headers['content-type'] = FORM;
    if (req.openapi) req.openapi = { ...req.openapi, pathParams: {} };
    return request(req, res, (error?: unknown) => {
      if (!error) {
        call.params = { ...(req.body as Record<string, unknown>), ...files };
        return next();
      }
      const [problem] = (error as { errors?: Problem[] }).errors ?? [];
      next(problem ? refusalOf(call.id, call.params, problem) : error);
    });
  };
}

/** To the document a file is a text of bytes: a word stands for it while the validator looks, the handler gets the file. */
function divided(params: Record<string, unknown>) {
  const fields: Record<string, unknown> = Object.create(null);
  const files: Record<string, SentFile> = {};
  for (const [name, value] of Object.entries(params)) {
    fields[name] = value instanceof SentFile ? 'file' : value;
    if (value instanceof SentFile) files[name] = value;
  }
  return { fields, files };
}

function refusalOf(id: OperationId, params: Record<string, unknown>, problem: Problem): ApiError {
  try {
    const [, , name = '', ...inside] = problem.path.split('/');
    return explain(id, params, name, inside, problem);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function explain(
  id: OperationId,
  params: Record<string, unknown>,
  name: string,
  inside: string[],
  problem: Problem,
): never {
  const parameter = parametersOf(id)[name];
  if (!parameter) refuse('BAD_REQUEST', `The parameters cannot be read: ${problem.message}.`);
  if (inside.length === 0 && !(name in params)) {
    refuse('REQUEST_VARIABLE_MISSING', `Parameter "${name}" is missing.`, { var_name: name });
  }
  const place = inside.length > 0 ? ` (at ${inside.join('.')}: ${problem.message})` : '';
  const message = `Parameter "${name}" must be ${parameter.expects}${place}.`;
  if (parameter.invalid === 'REQUEST_VARIABLE_INVALID') {
    refuse('REQUEST_VARIABLE_INVALID', message, { var_name: name, bad_value: params[name] });
  }
  return refuse('BAD_REQUEST', message);
}

/**
 * The document with every parameter of an operation in its body, with answers closed to undocumented fields, and with nothing
 * that refers to something else.
 */
function forValidation(document: Node): Node {
  const doc = structuredClone(document);
  doc.servers = [{ url: PREFIX }];
  delete doc.security;
  for (const item of Object.values<Node>(doc.paths)) {
    const shared = item.parameters ?? [];
    delete item.parameters;
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      const operation = item[method];
      if (!operation) continue;
      const schema = inlined(doc, oneBody(doc, shared, operation));
      operation.requestBody = { required: true, content: { [FORM]: { schema } } };
      delete operation.parameters;
      delete operation.security;
      operation.responses = mapped(operation.responses, (answer) => closedAnswer(doc, resolve(doc, answer)));
    }
  }
  delete doc.components;
  return doc;
}

function oneBody(doc: Node, shared: Node[], operation: Node): Node {
  const parameters = [...shared, ...(operation.parameters ?? [])]
    .map((parameter) => resolve(doc, parameter))
    .filter((parameter) => parameter.in !== 'header');
  const schemaOf = (p: Node) => p.schema ?? p.content['application/json'].schema;
  const content = resolve(doc, operation.requestBody ?? {}).content ?? {};
  const form = (content[FORM] ?? content['multipart/form-data'])?.schema;
  return {
    type: 'object',
    allOf: [
      {
        type: 'object',
        required: parameters.filter((p) => p.required).map((p) => p.name),
        properties: Object.fromEntries(parameters.map((p) => [p.name, schemaOf(p)])),
      },
      ...(form ? [form] : []),
    ],
  };
}

function closedAnswer(doc: Node, answer: Node): Node {
  const schema = answer.content?.['application/json']?.schema;
  const content = schema && { 'application/json': { schema: closed(doc, schema, false) } };
  return { description: answer.description, ...(content && { content }) };
}

function inlined(doc: Node, node: Node): Node {
  if (Array.isArray(node)) return node.map((one) => inlined(doc, one));
  if (typeof node !== 'object' || node === null) return node;
  return mapped(resolve(doc, node), (one) => inlined(doc, one));
}

/** A copy without references in which objects have no fields but the documented ones. `open`: the outer schema closes it. */
function closed(doc: Node, node: Node, open: boolean): Node {
  const { description: _, example: __, ...schema } = resolve(doc, node);
  const list = (nodes: Node[] | undefined, inner: boolean) => nodes?.map((one) => closed(doc, one, inner));
  const isObject = schema.type === 'object' || schema.properties !== undefined || schema.allOf !== undefined;
  const copy = {
    ...schema,
    allOf: list(schema.allOf, true),
    oneOf: list(schema.oneOf, open),
    anyOf: list(schema.anyOf, open),
    items: schema.items && closed(doc, schema.items, false),
    properties: schema.properties && mapped(schema.properties, (one) => closed(doc, one, false)),
    additionalProperties:
      typeof schema.additionalProperties === 'object'
        ? closed(doc, schema.additionalProperties, false)
        : schema.additionalProperties,
    ...(isObject && !open && schema.additionalProperties === undefined && { unevaluatedProperties: false }),
  };
  return Object.fromEntries(Object.entries(copy).filter(([, value]) => value !== undefined));
}

const mapped = (nodes: Record<string, Node>, change: (node: Node) => Node): Record<string, Node> =>
  Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, change(node)]));

function resolve(doc: Node, node: Node): Node {
  if (node.$ref === undefined) return node;
  const keys = (node.$ref as string).slice(2).split('/');
  return resolve(
    doc,
    keys.reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')], doc),
  );
}

/** Every operation of the document. */
export const operationIds = Object.keys(operations) as OperationId[];
