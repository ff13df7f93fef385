import { encodeBody, encodeForm } from '@parley/client';
import { addressed, KEY, type SampleCall } from './samples.ts';

/** Who calls. */
export interface ApiLogin {
  email: string;
  apiKey: string;
}

export interface Prepared {
  url: string;
  init: RequestInit;
}

/** The request of a call: the one the samples show, made by the client's own encoder. */
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
  /** The answer, where it is JSON. */
  body?: unknown;
  /** The events of the call in the caller's own queue. Undefined: there was no queue. */
  events?: unknown[];
}

/** Carries a call out. A queue opened before it hears what it causes. */
export async function send(
  call: SampleCall,
  server: string,
  login: ApiLogin | undefined,
  options: { files?: Record<string, Blob>; signal: AbortSignal },
): Promise<SendOutcome> {
  const ear = login && (await listen(server, login, options.signal));
  const { url, init } = requestOf(call, server, login, options.files);
  const began = performance.now();
  const response = await fetch(url, { ...init, signal: options.signal });
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - began);
  const body = json(text);
  const events = await ear?.();
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

/** Opens a queue; the answer tells what came to it, and closes it. A caller whom the server refuses hears nothing. */
async function listen(
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
