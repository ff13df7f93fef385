// Event queues followed as streams. An entry of its own, so that programs that poll do not carry it.

/** Milliseconds in which the first bytes of a stream must arrive: a proxy that buffers responses would keep them back. */
const FIRST_BYTES = 10_000;
/** Milliseconds between two acknowledgements. */
const ACKNOWLEDGE_AFTER = 10_000;
const PATH = '/api/v1/events';

type SendRequest = (request: Request) => Promise<Response>;

/** The stream of one queue, as far as it was read. */
interface QueueStream {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly decoder: TextDecoder;
  readonly ending: AbortController;
  /** Received, and not a whole frame yet. */
  rest: string;
  /** The newest event that a poll got. */
  last: string;
  /** A poll waits for the next events. */
  isRead: boolean;
  acknowledgedAt: number;
}

/**
 * A `fetch` for `createClient` with which `client.events()` follows its queue as a stream: one request, and each event when it
 * happens, instead of a request for each. Polls are answered from the stream. Where the server or a proxy in between
 * has no streams, they are sent as polls.
 *
 * @param send - What sends requests. Absent: the global `fetch`. Its responses must have a `body` that is a stream.
 * @since Feature level 237.
 * @see `/docs/guides/events/#streams` on your server
 * @example
 * import { createClient } from '@parley/client';
 * import { createStreamingFetch } from '@parley/client/stream';
 * const client = createClient(url, { login, fetch: createStreamingFetch() });
 */
export function createStreamingFetch(send: SendRequest = (request) => fetch(request)): SendRequest {
  const streams = new Map<string, QueueStream>();
  let isBuffered = false;

  const end = (queue_id: string, stream: QueueStream) => {
    stream.ending.abort();
    if (streams.get(queue_id) === stream) streams.delete(queue_id);
  };

  /** Opens a stream; a response that is none is returned as it is. */
  async function open(request: Request, last: string): Promise<QueueStream | Response | undefined> {
    const headers = new Headers(request.headers);
    headers.set('Accept', 'text/event-stream');
    const ending = new AbortController();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      ending.abort();
    }, FIRST_BYTES);
    const undo = forwardAbort(request.signal, ending);
    try {
      const response = await send(new Request(request, { headers, signal: ending.signal }));
      if (!response.body || !isStream(response)) return response;
      const stream: QueueStream = {
        reader: response.body.getReader(),
        decoder: new TextDecoder(),
        ...{ ending, last, rest: '', isRead: false, acknowledgedAt: Date.now() },
      };
      await readMore(stream);
      return stream;
    } catch (error) {
      if (isLate) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
      undo();
    }
  }

  async function poll(request: Request, queue_id: string, last: string): Promise<Response> {
    let stream = streams.get(queue_id);
    if (stream && (stream.isRead || stream.last !== last)) {
      end(queue_id, stream);
      stream = undefined;
    }
    if (stream) acknowledge(request, queue_id, stream);
    else {
      const opened = isBuffered ? undefined : await open(request, last);
      isBuffered = !opened;
      if (!opened) return send(request);
      if (opened instanceof Response) return opened;
      stream = opened;
      streams.set(queue_id, stream);
    }
    try {
      const events = await nextEvents(stream, request.signal);
      // The server has ended the stream. The next poll opens another one, a moment later.
      if (!events) end(queue_id, stream);
      return toPollResponse(events ?? []);
    } catch (error) {
      end(queue_id, stream);
      throw error;
    }
  }

  /** Says what the program has dealt with, so that the server need not keep it. If that is lost, the next time says more. */
  function acknowledge({ url, headers, signal }: Request, queue_id: string, stream: QueueStream): void {
    if (Date.now() - stream.acknowledgedAt < ACKNOWLEDGE_AFTER) return;
    stream.acknowledgedAt = Date.now();
    const body = new URLSearchParams({ queue_id, last_event_id: stream.last });
    const request = new Request(`${url.split('?')[0]}/acknowledge`, { method: 'POST', headers, body, signal });
    send(request).then(
      (response) => response.text(),
      () => {},
    );
  }

  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.endsWith(PATH)) return send(request);
    const { queue_id, last_event_id, dont_block } = Object.fromEntries(searchParams);
    if (request.method === 'GET' && queue_id && last_event_id && dont_block !== 'true') {
      return poll(request, queue_id, last_event_id);
    }
    if (request.method === 'DELETE') {
      const ended = new URLSearchParams(await request.clone().text()).get('queue_id') ?? '';
      const stream = streams.get(ended);
      if (stream) end(ended, stream);
    }
    return send(request);
  };
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('text/event-stream') === true;

/** Aborts `ending` with the signal, until the function that it returns is called. */
function forwardAbort(signal: AbortSignal, ending: AbortController): () => void {
  const abort = () => ending.abort(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return () => signal.removeEventListener('abort', abort);
}

/** The events of the next frames, each as JSON; undefined when the server has ended the stream. */
async function nextEvents(stream: QueueStream, signal: AbortSignal): Promise<string[] | undefined> {
  const undo = forwardAbort(signal, stream.ending);
  stream.isRead = true;
  try {
    for (;;) {
      const frames = stream.rest.split('\n\n');
      stream.rest = frames.pop() ?? '';
      const events = frames.map((frame) => toEvent(frame, stream));
      if (events.length > 0) return events;
      if (!(await readMore(stream))) return undefined;
    }
  } finally {
    stream.isRead = false;
    undo();
  }
}

/** Returns whether there was more. */
async function readMore(stream: QueueStream): Promise<boolean> {
  const { done, value } = await stream.reader.read();
  if (value) stream.rest += stream.decoder.decode(value, { stream: true });
  return !done;
}

/** The event of a frame, as JSON. A comment stands for a heartbeat: it says that the stream is alive. */
function toEvent(frame: string, stream: QueueStream): string {
  const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(frame) ?? [];
  if (id === undefined || data === undefined) return `{"type":"heartbeat","id":${stream.last}}`;
  stream.last = id;
  return data;
}

const toPollResponse = (events: readonly string[]): Response =>
  new Response(`{"result":"success","msg":"","events":[${events.join(',')}]}`, {
    headers: { 'Content-Type': 'application/json' },
  });
