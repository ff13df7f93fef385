/** The progress of an upload. */
export interface UploadProgress {
  /** Bytes of the body that were sent. */
  readonly sent: number;
  /** Bytes of the body: of the file, and of the form around it. */
  readonly total: number;
}

type SendRequest = (request: Request) => Promise<Response>;
type ProgressListener = (progress: UploadProgress) => unknown;

/** Bytes that are passed on at a time, where the body is a stream. */
const PIECE = 65_536;

/**
 * Creates a `fetch` for one upload that reports its progress: first with 0 bytes sent, last with all. A retry of the
 * upload starts again at 0. Browsers send it with `XMLHttpRequest`, because their `fetch` reports no progress;
 * elsewhere the body is a stream. In a service worker, which supports neither, only the start and the end are reported.
 *
 * @param onProgress - Called with each step, in bytes. When it throws, the upload is aborted and the call rejects.
 * @param send - Sends requests instead of `XMLHttpRequest` or the global `fetch`. It must support streams as bodies.
 * @since Feature level 237.
 * @see `/docs/guides/files/#show-the-progress-of-an-upload` on your server
 * @example
 * import { createProgressFetch } from '@parley/client/files';
 * const progress = createProgressFetch(({ sent, total }) => { bar.value = sent / total; });
 * const { uri } = await client.uploadFile({ file }, { fetch: progress });
 */
export function createProgressFetch(onProgress: ProgressListener, send?: SendRequest): SendRequest {
  return async (request) => {
    const body = await request.blob();
    const total = body.size;
    onProgress({ sent: 0, total });
    if (!send && typeof XMLHttpRequest === 'function') return sendByXhr(request, body, onProgress);
    // Browsers send streams over HTTP/2 only.
    if (!send && 'ServiceWorkerGlobalScope' in globalThis) return sendWhole(request, body, onProgress);
    const stream = toReportingStream(body, onProgress);
    return (send ?? fetch)(new Request(request, { body: stream, duplex: 'half' } as RequestInit));
  };
}

async function sendWhole(request: Request, body: Blob, onProgress: ProgressListener): Promise<Response> {
  const response = await fetch(new Request(request, { body }));
  onProgress({ sent: body.size, total: body.size });
  return response;
}

/** The body as a stream. A piece counts as sent when the next one is requested. */
function toReportingStream(body: Blob, onProgress: ProgressListener): ReadableStream<Uint8Array> {
  const total = body.size;
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent > 0) onProgress({ sent, total });
        if (sent === total) return controller.close();
        const piece = new Uint8Array(await body.slice(sent, sent + PIECE).arrayBuffer());
        sent += piece.length;
        controller.enqueue(piece);
      },
    },
    // Nothing is read ahead: it would count as sent.
    { highWaterMark: 0 },
  );
}

function sendByXhr({ method, url, headers, signal }: Request, body: Blob, onProgress: ProgressListener) {
  const xhr = new XMLHttpRequest();
  return new Promise<Response>((resolve, reject) => {
    const report = (sent: number) => {
      try {
        onProgress({ sent, total: body.size });
      } catch (error) {
        reject(error);
        xhr.abort();
      }
    };
    const abort = () => xhr.abort();
    xhr.open(method, url);
    for (const [name, value] of headers) xhr.setRequestHeader(name, value);
    xhr.responseType = 'blob';
    xhr.upload.onprogress = ({ loaded }) => loaded < body.size && report(loaded);
    xhr.upload.onload = () => report(body.size);
    xhr.onload = () => resolve(toResponse(xhr));
    xhr.onerror = () => reject(new TypeError('The request failed.'));
    xhr.onabort = () => reject(signal.reason);
    xhr.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    xhr.send(body);
    if (signal.aborted) abort();
  });
}

function toResponse(xhr: XMLHttpRequest): Response {
  const { status, statusText } = xhr;
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().trim().split('\r\n')) {
    const [name = '', ...value] = line.split(': ');
    if (name) headers.append(name, value.join(': '));
  }
  return new Response(xhr.response as Blob, { status, statusText, headers });
}
