// Requests over TLS to one port, whatever host the URL names: host names of organizations need not resolve in tests.
import { Agent, type RequestOptions, request } from 'node:https';
import { buffer } from 'node:stream/consumers';

export interface Endpoint {
  readonly port: number;
  /** The certificate that the proxy has to present. */
  readonly ca: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

type Options = Pick<RequestOptions, 'method' | 'headers' | 'localAddress'> & { body?: Uint8Array | undefined };

/** Keeps connections open, as SDKs and browsers do. */
export function openHttpsClient({ port, ca }: Endpoint) {
  const agent = new Agent({ keepAlive: true, ca });

  /** Sends a request, without retries. */
  async function send(url: URL, { body, headers, ...options }: Options = {}): Promise<Reply> {
    const own = { ...headers, Host: url.host, ...(body && { 'Content-Length': String(body.length) }) };
    const path = url.pathname + url.search;
    const target = { host: '127.0.0.1', port, servername: url.hostname, path, agent, headers: own };
    return new Promise((resolve, reject) => {
      const sent = request({ ...target, ...options }, async (response) => {
        const { statusCode = 0, headers: received } = response;
        buffer(response).then((bytes) => resolve({ status: statusCode, headers: received, body: bytes }), reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** The same as a `fetch`, for the SDK. */
  async function fetch(fetchRequest: Request): Promise<Response> {
    const body = fetchRequest.body ? Buffer.from(await fetchRequest.arrayBuffer()) : undefined;
    const headers = Object.fromEntries(fetchRequest.headers);
    const {
      status,
      headers: received,
      body: bytes,
    } = await send(new URL(fetchRequest.url), { method: fetchRequest.method, headers, body });
    const plain = Object.entries(received).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(bytes.length > 0 ? new Uint8Array(bytes) : null, { status, headers: plain });
  }

  return { send, fetch, close: () => agent.destroy() };
}

export type HttpsClient = ReturnType<typeof openHttpsClient>;

export const jsonOf = (reply: Reply): unknown => JSON.parse(reply.body.toString());
