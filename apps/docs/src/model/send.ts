import { encodeBody, encodeForm } from '@parley/client';
import { addressed, KEY, type SampleCall } from './samples.ts';

/** The credentials of the caller. */
export interface ApiLogin {
  email: string;
  apiKey: string;
}

export interface Prepared {
  url: string;
  init: RequestInit;
}

/** The request of a call, as the samples show it, with the encoding of the client. */
export function requestOf(
  call: SampleCall,
  server: string,
  login?: ApiLogin,
  files: Record<string, Blob> = {},
): Prepared {
  const { path, rest } = addressed(call);
  const query = call.method === 'get' ? encodeForm(rest).toString() : '';
  const body = call.method === 'get' ? undefined : encodeBody({ ...rest, ...files });
  const isForm = body instanceof URLSearchParams;
  return {
    url: `${server}/api/v1${path}${query === '' ? '' : `?${query}`}`,
    init: {
      method: call.method.toUpperCase(),
      headers: {
        ...(isForm && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...(call.key !== undefined && { [KEY]: call.key }),
        ...(login && call.needsLogin && { Authorization: `Basic ${base64(`${login.email}:${login.apiKey}`)}` }),
      },
      ...(body && { body: isForm ? body.toString() : body }),
      credentials: 'omit',
      cache: 'no-store',
    },
  };
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

export interface SendOutcome {
  status: number;
  milliseconds: number;
  text: string;
  /** The response body, if it is JSON. */
  body?: unknown;
  /** The events that the caller's queue received. Undefined: there is no queue. */
  events?: unknown[];
}

/** Sends a call. A queue that is registered before it receives the events that it causes. */
export async function send(
  call: SampleCall,
  server: string,
  login: ApiLogin | undefined,
  options: { files?: Record<string, Blob>; signal: AbortSignal },
): Promise<SendOutcome> {
  const readEvents = login && (await registerTemporaryQueue(server, login, options.signal));
  const { url, init } = requestOf(call, server, login, options.files);
  const began = performance.now();
  const response = await fetch(url, { ...init, signal: options.signal });
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - began);
  const body = json(text);
  const events = await readEvents?.();
  return {
    status: response.status,
    milliseconds,
    text,
    ...(body !== undefined && { body }),
    ...(events && { events }),
  };
}

const plain = (
  operationId: string,
  method: SampleCall['method'],
  path: string,
  params: Record<string, unknown>,
): SampleCall => ({
  operationId,
  method,
  path,
  params,
  needsLogin: true,
});

/** Registers a queue. Returns a function that reads its events and deletes it; undefined if the registration fails. */
async function registerTemporaryQueue(
  server: string,
  login: ApiLogin,
  signal: AbortSignal,
): Promise<(() => Promise<unknown[]>) | undefined> {
  const request = async (call: SampleCall): Promise<Record<string, unknown>> => {
    const { url, init } = requestOf(call, server, login);
    return (await (await fetch(url, { ...init, signal })).json()) as Record<string, unknown>;
  };
  const opened = await request(plain('registerQueue', 'post', '/register', { fetch_event_types: [] }));
  const { queue_id, last_event_id } = opened;
  if (typeof queue_id !== 'string') return undefined;
  return async () => {
    const polled = await request(plain('getEvents', 'get', '/events', { queue_id, last_event_id, dont_block: true }));
    await request(plain('deleteQueue', 'delete', '/events', { queue_id }));
    const events = Array.isArray(polled.events) ? (polled.events as { type?: string }[]) : [];
    return events.filter(({ type }) => type !== 'heartbeat');
  };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
