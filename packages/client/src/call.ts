import type { Client as FetchClient } from 'openapi-fetch';
import { ParleyError, type Refusal, TransportError } from './errors.ts';
import { hasFile } from './form.ts';
import type { paths } from './generated/schema.ts';
import type { ClientOptions } from './options.ts';
import { backoff, pause, within } from './pause.ts';
import { routes } from './routes.ts';
import type { CallOptions, OperationId } from './types.ts';

/** Seconds: a call that would have to wait longer than this rejects at once, and its caller decides. */
const PATIENCE = 60;

export type Call = (id: OperationId, params?: object, options?: CallOptions) => Promise<object>;

/** Calls operations by their id, and tries again where that does no harm. */
export function createCall(raw: FetchClient<paths>, options: ClientOptions): Call {
  const { logger, retries: usual = 2 } = options;
  return async (id, params = {}, given = {}) => {
    const { signal, retries = usual, idempotencyKey } = given;
    const isRepeatable = routes[id].isRepeatable || idempotencyKey !== undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(raw, options, id, attempt, params, given);
      } catch (error) {
        const wait = attempt > retries ? undefined : waitAfter(error, attempt, isRepeatable);
        if (wait === undefined) throw error;
        logger?.warn(`${id}: ${wordFor(error)}, try ${attempt + 1} in ${Math.round(wait)} ms`);
        options.onRetry?.({ operation: id, attempt, error, wait });
        await pause(wait, signal);
      }
    }
  };
}

/** What a log may say of an error: never what was sent or answered. */
export const wordFor = (error: unknown): string =>
  error instanceof ParleyError
    ? error.code
    : error instanceof TransportError
      ? `status ${error.status ?? '-'}`
      : 'failed';

/** Milliseconds to wait before the next try; undefined if there must be none. */
function waitAfter(error: unknown, attempt: number, isRepeatable: boolean): number | undefined {
  if (!(error instanceof ParleyError || error instanceof TransportError)) return undefined;
  const { status = 500, retryAfter = 0 } = error;
  if (retryAfter > PATIENCE || !(status === 429 || (status >= 500 && isRepeatable))) return undefined;
  return Math.max(retryAfter * 1000, backoff(attempt - 1));
}

interface Answer {
  data?: string;
  error?: unknown;
  response: Response;
}

async function once(
  raw: FetchClient<paths>,
  options: ClientOptions,
  id: OperationId,
  attempt: number,
  params: object,
  { signal, idempotencyKey, timeout = options.timeout ?? 90_000 }: CallOptions,
): Promise<object> {
  const { method, path } = routes[id];
  // What the path takes does not travel twice.
  const rest = Object.fromEntries(Object.entries(params).filter(([name]) => !path.includes(`{${name}}`)));
  const init = {
    params: { path: params, query: method === 'GET' ? rest : {} },
    ...(method !== 'GET' && { body: rest }),
    headers: {
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      // Of a body with a file only `fetch` itself can say where its parts end.
      ...(hasFile(rest) && { 'Content-Type': null }),
    },
    parseAs: 'text',
    fetch: sender(options, id, attempt),
  };
  // openapi-fetch types each path apart; here the path is a value, and `Calls` carries the types.
  const request = raw.request as unknown as (method: string, path: string, init: object) => Promise<Answer>;
  try {
    const answer = await within(timeout, signal, (ending) => request(method, path, { ...init, signal: ending }));
    return payloadOf(answer, id, options);
  } catch (error) {
    if (signal?.aborted || error instanceof ParleyError || error instanceof TransportError) throw error;
    throw new TransportError(undefined, '', undefined, { cause: error });
  }
}

function sender({ fetch: send = fetch, ...options }: ClientOptions, operation: OperationId, attempt: number) {
  return async (request: Request): Promise<Response> => {
    await options.onRequest?.({ operation, attempt, request });
    const start = Date.now();
    const response = await send(request);
    const milliseconds = Date.now() - start;
    options.logger?.debug(`${operation}: ${response.status} after ${milliseconds} ms`);
    await options.onResponse?.({ operation, attempt, response, milliseconds });
    return response;
  };
}

function payloadOf({ response, data, error }: Answer, id: OperationId, options: ClientOptions): object {
  const given = data ?? error ?? '';
  const body = typeof given === 'string' ? parsed(given) : given;
  const { status, headers } = response;
  const header = Number(headers.get('Retry-After')) || undefined;
  if (typeof body !== 'object' || body === null || !('result' in body)) {
    throw new TransportError(status, (typeof given === 'string' ? given : JSON.stringify(given)).slice(0, 200), header);
  }
  const { result, msg: _, ...payload } = body as { result: string; msg: string; ignored_parameters_unsupported?: [] };
  if (result !== 'success') {
    const refusal = body as Refusal;
    throw new ParleyError(status, refusal, 'retry-after' in refusal ? refusal['retry-after'] : header);
  }
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
