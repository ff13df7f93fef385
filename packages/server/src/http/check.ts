// The check that a request gets, for parameters that come from elsewhere: same decoder, same document, same refusals.
import { operations } from '@parley/openapi';
import type { Request, RequestHandler, Response } from 'express';
import type { OperationId, Params } from '../core/contract.ts';
import { beginCall, callOf } from './call.ts';
import { decode, parametersOf } from './decode.ts';
import { PREFIX, validators, validatorsOf } from './validate.ts';

/** The parameters as the operation's handler would get them; refuses what a request with them would be refused for. */
export async function checked<Id extends OperationId>(
  id: Id,
  given: Readonly<Record<string, unknown>>,
): Promise<Params<Id>> {
  const { params } = decode(id, { path: {}, query: [], body: { ...given } });
  const req = requestFor(id, params);
  const { metadata, request } = validatorsOf(id);
  for (const layer of [metadata, request]) await passed(layer, req);
  return callOf(req).params as Params<Id>;
}

/** What every client begins with. */
const FIRST = ['registerQueue', 'getEvents'] as const satisfies readonly OperationId[];

/** Compiles the checks of what every client begins with: the first one would otherwise wait for it. */
export async function compileFirst(): Promise<void> {
  for (const id of FIRST) await compile(id);
}

async function compile(id: OperationId): Promise<void> {
  const req = requestFor(id, {});
  const { response, request } = validators();
  const res = { statusCode: 200, headersSent: false, getHeaders: () => ({}), json: () => {} } as unknown as Response;
  for (const layer of response) await passed(layer, req, res);
  await passed(request, req).catch(() => {}); // Nothing was asked: most operations refuse that.
  res.json({});
}

/** As much of a request as the validator looks at. */
function requestFor(id: OperationId, params: Record<string, unknown>): Request {
  const { path, method } = operations[id];
  const url = PREFIX + path;
  const req = {
    method: method.toUpperCase(),
    path: url,
    originalUrl: url,
    baseUrl: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    query: {},
    params: {},
    app: { enabled: () => true, locals: { onBadResponse: () => {} } },
    get: () => 'application/x-www-form-urlencoded',
  } as unknown as Request;
  beginCall(req, { id, started: 0, path: {}, caller: undefined, ignored: [], params });
  return req;
}

function passed(layer: RequestHandler, req: Request, res = {} as Response): Promise<void> {
  return new Promise((resolve, reject) => {
    Promise.resolve(layer(req, res, (error?: unknown) => (error ? reject(error) : resolve()))).catch(reject);
  });
}

export function isParameter(id: OperationId, name: string): boolean {
  return Object.hasOwn(parametersOf(id), name);
}

/** What an operator typed for a parameter: JSON, or a bare word where the parameter is a text. */
export function typed(id: OperationId, name: string, text: string): unknown {
  const kinds = isParameter(id, name) ? parametersOf(id)[name]?.kinds : undefined;
  const value = jsonOf(text);
  if (value === undefined) return text;
  // A name may look like a number; only quotes make it JSON.
  return kinds?.every((kind) => kind === 'string') && typeof value !== 'string' ? text : value;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
