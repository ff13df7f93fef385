import type { Client as FetchClient } from 'openapi-fetch';
import { within } from './backoff.ts';
import { type ErrorResponse, ParleyError, TransportError } from './errors.ts';
import { textOf } from './form.ts';
import type { Calls } from './generated/calls.ts';
import type { paths } from './generated/schema.ts';
import type { ClientOptions, Try } from './options.ts';
import { withRetries } from './retries.ts';
import { type Route, routes } from './routes.ts';
import type { CallOptions, OperationId } from './types.ts';

/** A function for each operation, which tries again where that does no harm. */
export function createCalls(raw: FetchClient<paths>, options: ClientOptions): Calls {
  const each = (Object.entries(routes) as [OperationId, Route][]).map(([operation, route]) => [
    operation,
    (params: object = {}, given: CallOptions = {}) => {
      const { signal, retries = options.retries ?? 2, idempotencyKey } = given;
      const isRepeatable = route.isRepeatable || Boolean(idempotencyKey);
      return withRetries({ operation, retries, isRepeatable, signal }, options, (attempt) =>
        once(raw, options, { operation, attempt }, route, params, given),
      );
    },
  ]);
  return Object.fromEntries(each) as Calls;
}

interface RawResponse {
  data?: string;
  error?: unknown;
  response: Response;
}

async function once(
  raw: FetchClient<paths>,
  options: ClientOptions,
  tried: Try,
  { method, path }: Route,
  params: object,
  { signal, idempotencyKey, timeout = options.timeout ?? 90_000 }: CallOptions,
): Promise<object> {
  // What the path takes does not travel twice.
  const rest = Object.fromEntries(Object.entries(params).filter(([name]) => !path.includes(`{${name}}`)));
  const isGet = method === 'GET';
  // A hook that fails is the caller's own failure, and not one of the network.
  let failed = true;
  const init = {
    params: { path: params, query: isGet ? rest : undefined },
    body: isGet ? undefined : rest,
    headers: { 'Idempotency-Key': idempotencyKey },
    parseAs: 'text',
    async fetch(request: Request) {
      await options.onRequest?.({ ...tried, request });
      failed = false;
      const start = Date.now();
      const response = await (options.fetch ?? fetch)(request);
      const milliseconds = Date.now() - start;
      failed = true;
      options.logger?.debug(`${tried.operation}: ${response.status}, ${milliseconds} ms`);
      await options.onResponse?.({ ...tried, response, milliseconds });
      failed = false;
      return response;
    },
  };
  // openapi-fetch types each path apart; here the path is a value, and `Calls` carries the types.
  const request = raw.request as unknown as (method: string, path: string, init: object) => Promise<RawResponse>;
  const answer = await within(timeout, signal, (ending) => request(method, path, { ...init, signal: ending })).catch(
    (cause: unknown) => {
      throw failed || signal?.aborted ? cause : new TransportError(undefined, undefined, undefined, { cause });
    },
  );
  return payloadOf(answer, tried.operation, options);
}

async function payloadOf(
  { response, data, error }: RawResponse,
  id: OperationId,
  options: ClientOptions,
): Promise<object> {
  const text = textOf(data ?? error ?? '');
  const body: Envelope | null | undefined = await Promise.resolve(text)
    .then(JSON.parse)
    .catch(() => {});
  const { status } = response;
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
  if (!body?.result) throw new TransportError(status, text.slice(0, 200), retryAfter);
  const { result, msg: _, ...payload } = body;
  if (result !== 'success') throw new ParleyError(status, body as ErrorResponse, retryAfter);
  const ignored = payload.ignored_parameters_unsupported;
  if (ignored) {
    options.logger?.warn(`${id}: unknown ${ignored.join()}`);
    await options.onIgnoredParameters?.(ignored, id);
  }
  return payload;
}

interface Envelope {
  result?: string;
  msg?: string;
  ignored_parameters_unsupported?: string[];
}
