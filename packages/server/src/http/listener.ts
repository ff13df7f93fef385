import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import type { RejectEarly } from './admission/early.ts';
import type { Health } from './readiness.ts';

/** Maximum bytes of a request's first line and headers. Long queries are valid: a narrow can name many users. */
const MAX_HEADER = 64 * 1024;

/**
 * Connections that can wait to be accepted; the operating system may allow fewer. Node's 511 are fewer than the clients that come back at
 * once after a restart, or that an overload makes wait: the system drops what exceeds them, and a client tries again after 1, 3 and 7 seconds.
 */
export const BACKLOG = 4_096;

/**
 * An HTTP server whose own errors, for requests that cannot be parsed, have the envelope of the API. Requests that
 * `rejectEarly` responds to do not reach Express.
 */
export function createListener(
  api: Express | RequestListener,
  health: Health = { draining: false },
  rejectEarly?: RejectEarly,
): Server {
  if (!('request' in api)) return withErrorResponses(createServer({ maxHeaderSize: MAX_HEADER }, api));
  const { IncomingMessage, ServerResponse } = createMessageClasses(api, health);
  const options = { maxHeaderSize: MAX_HEADER, IncomingMessage, ServerResponse };
  const respondsEarly = rejectEarly as ((req: unknown, res: unknown) => boolean) | undefined;
  return withErrorResponses(createServer(options, (req, res) => void (respondsEarly?.(req, res) || api(req, res))));
}

function withErrorResponses(server: Server): Server {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
    const msg = tooLong
      ? `The address and headers can have at most ${MAX_HEADER} bytes.`
      : 'This is not an HTTP request.';
    const body = `${JSON.stringify({ result: 'error', msg, code: 'BAD_REQUEST', reason: 'invalid' })}\n`;
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
 * Express changes the prototype of each request and response, and V8 then keeps a description of each such object: two
 * kilobytes for every waiting poll. Objects that are created with the prototype are not changed.
 */
function createMessageClasses(api: Express, health: Health) {
  class ServiceRequest extends IncomingMessage {}
  class ServiceResponse extends ServerResponse {}
  Object.setPrototypeOf(ServiceRequest.prototype, api.request);
  Object.setPrototypeOf(ServiceResponse.prototype, api.response);
  ServiceResponse.prototype.writeHead = lastWhileDraining(health);
  Object.assign(api, { request: ServiceRequest.prototype, response: ServiceResponse.prototype });
  return { IncomingMessage: ServiceRequest, ServerResponse: ServiceResponse };
}

/**
 * While the server drains, each response closes its connection, so that the next request goes to another server. This
 * is decided when the response begins: a poll may have begun to wait earlier.
 */
function lastWhileDraining(health: Health): ServerResponse['writeHead'] {
  const { writeHead } = ServerResponse.prototype;
  return function (this: ServerResponse, ...args: unknown[]) {
    if (health.draining) this.shouldKeepAlive = false;
    return writeHead.apply(this, args as Parameters<typeof writeHead>);
  };
}
