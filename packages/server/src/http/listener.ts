import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import type { RejectEarly } from './admission/early.ts';
import type { Health } from './readiness.ts';

/** Bytes of a request's first line and headers. Long queries are legal: a narrow can name many people. */
const MAX_HEADER = 64 * 1024;

/**
 * An HTTP server whose own refusals, of what cannot even be read as a request, come in the envelope of the API. What `refuse` responds
 * to does not reach Express.
 */
export function createListener(
  api: Express | RequestListener,
  health: Health = { draining: false },
  refuse?: RejectEarly,
): Server {
  if (!('request' in api)) return withErrorResponses(createServer({ maxHeaderSize: MAX_HEADER }, api));
  const { IncomingMessage, ServerResponse } = bornFor(api, health);
  const options = { maxHeaderSize: MAX_HEADER, IncomingMessage, ServerResponse };
  const isRefused = refuse as ((req: unknown, res: unknown) => boolean) | undefined;
  return withErrorResponses(createServer(options, (req, res) => void (isRefused?.(req, res) || api(req, res))));
}

function withErrorResponses(server: Server): Server {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
    const msg = tooLong
      ? `The address and headers can have at most ${MAX_HEADER} bytes.`
      : 'This is not an HTTP request.';
    const body = `${JSON.stringify({ result: 'error', msg, code: 'BAD_REQUEST' })}\n`;
    const head = [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json',
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
    ];
    socket.end([...head, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body].join('\r\n'));
  });
  return server;
}

/**
 * Express gives each request and each answer another prototype, and V8 then keeps a description of the object for itself
 * alone: two kilobytes for every poll that waits. Those that are born with the prototype are left as they are.
 */
function bornFor(api: Express, health: Health) {
  class Asked extends IncomingMessage {}
  class Answered extends ServerResponse {}
  Object.setPrototypeOf(Asked.prototype, api.request);
  Object.setPrototypeOf(Answered.prototype, api.response);
  Answered.prototype.writeHead = lastWhileDraining(health);
  Object.assign(api, { request: Asked.prototype, response: Answered.prototype });
  return { IncomingMessage: Asked, ServerResponse: Answered };
}

/**
 * While the server drains, each response closes its connection, so that the next request goes to another server. Whether it does is decided
 * when the response begins: a poll may have waited since before.
 */
function lastWhileDraining(health: Health): ServerResponse['writeHead'] {
  const { writeHead } = ServerResponse.prototype;
  return function (this: ServerResponse, ...given: unknown[]) {
    if (health.draining) this.shouldKeepAlive = false;
    return writeHead.apply(this, given as Parameters<typeof writeHead>);
  };
}
