// Requests of which a test sends the bytes: bodies that are too large, compressed, truncated or never sent.
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Chat, TestUser } from '../chat.ts';

export const FORM = 'application/x-www-form-urlencoded';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON of the body. */
  readonly body: Record<string, unknown>;
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** Begins a request; the test writes its body to `req`. */
export function begin(chat: Chat, path: string, { method = 'POST', headers = {} }: RawRequest) {
  const req: ClientRequest = request({
    host: '127.0.0.1',
    port: chat.port,
    path: path.startsWith('/api') || path.startsWith('/accounts') ? path : `/api/v1${path}`,
    method,
    headers: { Host: chat.realm.host, ...headers },
    agent: false,
  });
  const response = new Promise<IncomingMessage>((resolve, reject) =>
    req.on('response', resolve).on('error', reject),
  ).then(async (res): Promise<RawResponse> => {
    const sent = await text(res);
    const body = res.headers['content-type'] === 'application/json' ? JSON.parse(sent) : {};
    return { status: res.statusCode ?? 0, headers: res.headers, text: sent, body };
  });
  // Requests that a test aborts reject.
  response.catch(() => {});
  return { req, response };
}

/** Sends a whole request. */
export async function send(
  chat: Chat,
  path: string,
  { body = '', ...options }: RawRequest & { readonly body?: string | Buffer },
): Promise<RawResponse> {
  const { req, response } = begin(chat, path, {
    ...options,
    headers: { 'Content-Length': Buffer.byteLength(body), ...options.headers },
  });
  req.end(body);
  return response;
}

/** The form of a direct message. */
export const messageTo = ({ id }: TestUser) =>
  new URLSearchParams({ type: 'direct', to: `[${id}]`, content: 'soup' }).toString();
