import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of a request's first line and headers. Long queries are legal: a narrow can name many people. */
const MAX_HEADER = 64 * 1024;

/** An HTTP server whose own refusals, of what cannot even be read as a request, come in the envelope of the API. */
export function createListener(api: RequestListener): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER }, api);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
    const msg = tooLong
      ? `The address and headers can have at most ${MAX_HEADER} bytes.`
      : 'This is not an HTTP request.';
    const body = `${JSON.stringify({ result: 'error', msg, code: 'BAD_REQUEST' })}\n`;
    const head = ['HTTP/1.1 400 Bad Request', 'Content-Type: application/json', 'Cache-Control: no-store'];
    socket.end([...head, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body].join('\r\n'));
  });
  return server;
}
