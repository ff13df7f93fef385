import createFetchClient from 'openapi-fetch';
import { ParleyError, type Refusal, TransportError } from './errors.ts';
import { encodeBody, encodeForm, hasFile } from './form.ts';
import { type Calls, routes } from './generated/calls.ts';
import type { paths } from './generated/schema.ts';
import type { CallOptions, OperationId } from './types.ts';

export interface ClientOptions {
  /** The account's email and API key. Without them only the operations that need none can be called. */
  login?: { email: string; apiKey: string };
  /** The name of your program; the server keeps it beside the messages it sends. */
  name?: string;
  headers?: Record<string, string>;
  fetch?: (request: Request) => Promise<Response>;
}

/** One typed function for each operation of the API. `url` is the organization's, e.g. `https://acme.example.com`. */
export function createClient(url: string, options: ClientOptions = {}): Calls {
  const api = createFetchClient<paths>({
    baseUrl: `${url.replace(/\/$/, '')}/api/v1`,
    headers: headersOf(options),
    bodySerializer: (body) => encodeBody(body ?? {}),
    querySerializer: (query) => encodeForm(query).toString(),
    ...(options.fetch && { fetch: options.fetch }),
  });
  const call =
    (id: OperationId) =>
    async (params: object = {}, { signal, idempotencyKey }: CallOptions = {}) => {
      const [method, path] = routes[id];
      const { inPath, rest } = divided(path, params);
      const init = {
        params: { path: inPath, query: method === 'GET' ? rest : {} },
        ...(method !== 'GET' && { body: rest }),
        headers: {
          ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
          // Of a body with a file only `fetch` itself can say where its parts end.
          ...(hasFile(rest) && { 'Content-Type': null }),
        },
        signal,
      };
      // openapi-fetch types each path apart; here the path is a value, and `Calls` carries the types.
      const request = api.request as unknown as (method: string, path: string, init: object) => Promise<Answer>;
      const { data, error, response } = await request(method.toLowerCase(), path, { ...init, parseAs: 'text' });
      return payloadOf(response, data ?? error ?? '');
    };
  return Object.fromEntries((Object.keys(routes) as OperationId[]).map((id) => [id, call(id)])) as unknown as Calls;
}

interface Answer {
  data?: string;
  error?: unknown;
  response: Response;
}

function headersOf({ login, name, headers }: ClientOptions): Record<string, string> {
  return {
    'Content-Type': 'application/x-www-form-urlencoded',
    ...(login && { Authorization: `Basic ${base64(`${login.email}:${login.apiKey}`)}` }),
    ...(name !== undefined && { 'User-Agent': `${name}/1` }),
    ...headers,
  };
}

/** Base64 of the UTF-8 bytes; `btoa` alone refuses an address with an umlaut. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

function divided(path: string, params: object): { inPath: Record<string, unknown>; rest: Record<string, unknown> } {
  const entries = Object.entries(params);
  const isInPath = ([name]: [string, unknown]) => path.includes(`{${name}}`);
  return {
    inPath: Object.fromEntries(entries.filter(isInPath)),
    rest: Object.fromEntries(entries.filter((entry) => !isInPath(entry))),
  };
}

function payloadOf(response: Response, given: unknown): object {
  const body = typeof given === 'string' ? parsed(given) : given;
  if (typeof body !== 'object' || body === null || !('result' in body)) {
    throw new TransportError(response.status, String(given).slice(0, 200));
  }
  if (body.result !== 'success') throw new ParleyError(response.status, body as Refusal);
  const { result: _, msg: __, ...payload } = body as { result: string; msg: string };
  return payload;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
