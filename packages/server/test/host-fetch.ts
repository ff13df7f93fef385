import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** A `fetch` that connects to one port for any host: names of organizations do not have to resolve in tests. */
export function hostFetch(port: number): (request: Request) => Promise<Response> {
  return async (request) => {
    const { host, pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const headers = { ...Object.fromEntries(request.headers), Host: host, 'Content-Length': String(body.length) };
    const { method, signal } = request;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port, method, path: pathname + search, headers, agent, signal },
        resolve,
      );
      sent.on('error', reject);
      sent.end(body);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks);
    const plain = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const status = answer.statusCode ?? 0;
    return new Response(text.length > 0 ? text : null, { status, headers: plain });
  };
}
