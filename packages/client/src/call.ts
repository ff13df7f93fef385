import type { Client as FetchClient } from 'openapi-fetch';
import { ParleyError, type Refusal, TransportError } from './errors.ts';
import type { paths } from './generated/schema.ts';
import { insist } from './insist.ts';
import type { ClientOptions, Try } from './options.ts';
import { within } from './pause.ts';
import { routes } from './routes.ts';
import type { CallOptions, OperationId } from './types.ts';

/** Seconds that a call waits for the server's rate limit. */
const PATIENCE = 60;

export type Call = (id: OperationId, params?: object, options?: CallOptions) => Promise<object>;

/** Calls operations by their id, and tries again where that does no harm. */
export function createCall(raw: FetchClient<paths>, options: ClientOptions): Call {
  return (operation, params = {}, given = {}) => {
    const { signal, retries = options.retries ?? 2, idempotencyKey } = given;
    const isRepeatable = routes[operation].isRepeatable || idempotencyKey !== undefined;
    return insist({ operation, retries, isRepeatable, patience: PATIENCE, signal }, options, (attempt) =>
      once(raw, options, { operation, attempt }, params, given),
    );
  };
}

interface Answer {
  data?: string;
  error?: unknown;
  response: Response;
}

async function once(
  raw: FetchClient<paths>,
  options: ClientOptions,
  tried: Try,
  params: object,
  { signal, idempotencyKey, timeout = options.timeout ?? 90_000 }: CallOptions,
): Promise<object> {
  const { method, path } = routes[tried.operation];
  // What the path takes does not travel twice.
  const rest = Object.fromEntries(Object.entries(params).filter(([name]) => !path.includes(`{${name}}`)));
  const isGet = method === 'GET';
  // A hook that fails is the caller's own failure, and not one of the network.
  let failed = true;
  const init = {
    params: { path: params, query: isGet ? rest : {} },
    body: isGet ? undefined : rest,
    headers: { 'Idempotency-Key': idempotencyKey },
    parseAs: 'text',
    async fetch(request: Request) {
      await options.onRequest?.({ ...tried, request });
      failed = false;
      const start = Date.now();
      const response = await (options.fetch ?? fetch)(request);
      const milliseconds = Date.now() - start;
      options.logger?.debug(`${tried.operation}: ${response.status} after ${milliseconds} ms`);
      failed = true;
      await options.onResponse?.({ ...tried, response, milliseconds });
      failed = false;
      return response;
    },
  };
  // openapi-fetch types each path apart; here the path is a value, and `Calls` carries the types.
  const request = raw.request as unknown as (method: string, path: string, init: object) => Promise<Answer>;
  const answer = await within(timeout, signal, (ending) => request(method, path, { ...init, signal: ending })).catch(
    (cause: unknown) => {
      throw failed || signal?.aborted ? cause : new TransportError(undefined, '', undefined, { cause });
    },
  );
  return payloadOf(answer, tried.operation, options);
}

function payloadOf({ response, data, error }: Answer, id: OperationId, options: ClientOptions): object {
  const given = data ?? error ?? '';
  const body = typeof given === 'string' ? parsed(given) : given;
  const { status, headers } = response;
  const retryAfter = Number(headers.get('Retry-After')) || undefined;
  if (typeof body !== 'object' || body === null || !('result' in body)) {
    throw new TransportError(
      status,
      (typeof given === 'string' ? given : JSON.stringify(given)).slice(0, 200),
      retryAfter,
    );
  }
  const { result, msg: _, ...payload } = body as { result: string; msg: string; ignored_parameters_unsupported?: [] };
  if (result !== 'success') throw new ParleyError(status, body as Refusal, retryAfter);
  const ignored = payload.ignored_parameters_unsupported;
  if (ignored) {
    options.logger?.warn(`${id}: the server does not know ${ignored.join(', ')}`);
    options.onIgnoredParameters?.(ignored, id);
  }
  return payload;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
