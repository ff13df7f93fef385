import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** A `fetch` that connects to one port for any host: names of organizations do not have to resolve in tests. */
export function hostFetch(port: number): (request: Request) => Promise<Response> {
  return async (request) => {
    const { host, pathname, search } = new URL(request.url);
    const { method, signal } = request;
    // Even an absent body is read through a stream, which costs about a tenth of a small request.
    const body = request.body === null ? Buffer.alloc(0) : Buffer.from(await request.arrayBuffer());
    const headers = { ...Object.fromEntries(request.headers), host, 'content-length': String(body.length) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port, method, path: pathname + search, headers, agent, signal },
        resolve,
      );
      sent.on('error', reject);
      sent.end(body);
    });
    return toResponse(response, await readAll(response));
  };
}

async function readAll(message: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, body: Buffer<ArrayBuffer>): Response {
  const plain = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new Response(body.length > 0 ? body : null, { status: statusCode, headers: plain });
}
