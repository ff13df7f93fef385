import { within } from './backoff.ts';
import { type ClientEndpoint, omitCredentials } from './endpoint.ts';
import { type ErrorResponse, type FailedCall, ParleyError, TransportError } from './errors.ts';
import { encodeBody, encodeForm } from './form.ts';
import type { Calls } from './generated/calls.ts';
import type { ClientOptions, Try } from './options.ts';
import { withRetries } from './retries.ts';
import { type Route, routes } from './routes.ts';
import type { CallOptions, OperationId } from './types.ts';

/** A function for each operation, which retries where a repetition is harmless. */
export function createCalls(endpoint: ClientEndpoint, options: ClientOptions): Calls {
  const each = (Object.entries(routes) as [OperationId, Route][]).map(([operation, route]) => [
    operation,
    (params: object = {}, callOptions: CallOptions = {}) => {
      const { signal, retries = options.retries ?? 2 } = callOptions;
      const idempotencyKey = callOptions.idempotencyKey ?? newKey(route, options);
      const isRepeatable = route.isRepeatable || Boolean(idempotencyKey);
      const done = withRetries({ operation, retries, isRepeatable, signal }, options, async (attempt) => {
        await options.pace?.wait(operation, signal);
        return once(endpoint, options, { operation, attempt }, route, params, { ...callOptions, idempotencyKey });
      });
      const data = done.then((one) => one.data);
      const withResponse = () => {
        // The caller handles the error of the response; without this it would be an unhandled rejection as well.
        data.catch(() => {});
        return done;
      };
      return Object.assign(data, { withResponse });
    },
  ]);
  return Object.fromEntries(each) as Calls;
}

/** Works without `crypto.randomUUID`, which is missing on pages without TLS. */
const newKey = ({ takesKey }: Route, { idempotency }: ClientOptions): string | undefined =>
  takesKey && idempotency ? crypto.getRandomValues(new Uint32Array(4)).join('-') : undefined;

async function once(
  endpoint: ClientEndpoint,
  options: ClientOptions,
  tried: Try,
  route: Route,
  params: object,
  { signal, idempotencyKey, timeout = options.timeout ?? 90_000, fetch: send = options.fetch ?? fetch }: CallOptions,
): Promise<{ data: object; response: Response }> {
  const call = { operation: tried.operation, url: endpoint.url };
  // An exception of a hook is the caller's, not a network failure.
  let failed = true;
  let received: Response | undefined;
  const { response, text } = await within(timeout, signal, async (ending) => {
    const request = toRequest(endpoint, route, params, { signal: ending, idempotencyKey });
    await options.onRequest?.({ ...tried, request });
    failed = false;
    const start = Date.now();
    const response = await send(request);
    const milliseconds = Date.now() - start;
    received = response;
    failed = true;
    options.logger?.debug(`${tried.operation}: ${response.status}, ${milliseconds} ms`);
    await options.onResponse?.({ ...tried, response, milliseconds });
    failed = false;
    return { response, text: await response.text() };
  })
    .catch((cause: unknown) => {
      throw failed || signal?.aborted ? cause : new TransportError(undefined, undefined, undefined, { cause, call });
    })
    .finally(() => options.pace?.note(tried.operation, received));
  return { data: await payloadOf(response, text, call, options), response };
}

function toRequest(
  { address, headers }: ClientEndpoint,
  { method, path }: Route,
  params: object,
  { signal, idempotencyKey }: Pick<CallOptions, 'signal' | 'idempotencyKey'>,
): Request {
  // Path parameters are not sent again in the query or body.
  const rest: Record<string, unknown> = { ...params };
  const filledPath = path.replace(/{(\w+)}/g, (name, key: string) => {
    const value = rest[key];
    delete rest[key];
    return value === undefined ? name : encodeURIComponent(String(value));
  });
  const isGet = method === 'GET';
  const query = isGet ? `${encodeForm(rest)}` : '';
  const request = new Request(address + filledPath + (query && `?${query}`), {
    method,
    body: isGet ? null : encodeBody(rest),
    signal: signal ?? null,
    ...omitCredentials(),
  });
  for (const [name, value] of Object.entries({ ...headers, 'Idempotency-Key': idempotencyKey })) {
    if (value !== undefined) request.headers.set(name, value);
  }
  return request;
}

async function payloadOf(response: Response, text: string, call: FailedCall, options: ClientOptions): Promise<object> {
  const body: Envelope | null | undefined = await Promise.resolve(text)
    .then(JSON.parse)
    .catch(() => {});
  const { status } = response;
  const id = call.operation;
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
  if (!body?.result) throw new TransportError(status, text.slice(0, 200), retryAfter, { call });
  const { result, msg: _, ...payload } = body;
  if (result !== 'success') throw new ParleyError(status, body as ErrorResponse, retryAfter, id);
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
