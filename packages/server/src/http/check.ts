// The check that a request gets, for parameters that come from elsewhere: same decoder, same document, same refusals.
import { operations } from '@parley/openapi';
import type { Request, RequestHandler, Response } from 'express';
import type { OperationId, Params } from '../core/contract.ts';
import { beginCall, callOf } from './call.ts';
import { decode, parametersOf } from './decode.ts';
import { createValidators, PREFIX, type Validators } from './validate.ts';

// Made when first needed: it takes a moment, and most processes never need it.
let validators: Validators | undefined;

/** The parameters as the operation's handler would get them; refuses what a request with them would be refused for. */
export async function checked<Id extends OperationId>(
  id: Id,
  given: Readonly<Record<string, unknown>>,
): Promise<Params<Id>> {
  validators ??= createValidators();
  const { params } = decode(id, { path: {}, query: [], body: { ...given } });
  const req = requestFor(id, params);
  const [metadata] = validators.response;
  for (const layer of metadata ? [metadata, validators.request] : []) await passed(layer, req);
  return callOf(req).params as Params<Id>;
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
    app: { enabled: () => true },
    get: () => 'application/x-www-form-urlencoded',
  } as unknown as Request;
  beginCall(req, { id, started: 0, path: {}, caller: undefined, ignored: [], params });
  return req;
}

function passed(layer: RequestHandler, req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    Promise.resolve(layer(req, {} as Response, (error?: unknown) => (error ? reject(error) : resolve()))).catch(reject);
  });
}

/** What an operator typed for a parameter: JSON, or a bare word where the parameter is a text. */
export function typed(id: OperationId, name: string, text: string): unknown {
  const kinds = Object.hasOwn(parametersOf(id), name) ? parametersOf(id)[name]?.kinds : undefined;
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
