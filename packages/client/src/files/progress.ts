/** How far a request is. */
export interface UploadProgress {
  /** Bytes of the body that were sent. */
  readonly sent: number;
  /** Bytes of the body: of the file, and of what stands around it in the form. */
  readonly total: number;
}

type SendRequest = (request: Request) => Promise<Response>;
type ProgressListener = (progress: UploadProgress) => unknown;

/** Bytes that are handed over at a time, where the body is a stream. */
const PIECE = 65_536;

/**
 * A `fetch` for one upload, which reports how far it is: first with nothing sent, last with everything. When the upload is tried again, it
 * begins again at nothing. Browsers send it with `XMLHttpRequest`, because their `fetch` knows no progress; elsewhere the body is a stream. In a
 * service worker, which has neither, only the beginning and the end are reported.
 *
 * @param onProgress - Is called with each step. When it throws, the upload is ended and the call rejects.
 * @param send - What sends requests in place of `XMLHttpRequest` or the global `fetch`. It must be able to send streams.
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

/** The body as a stream. A piece counts as sent when the next one is asked for. */
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
    // Nothing is read ahead, which would count as sent.
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
