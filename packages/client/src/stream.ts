// Event queues as streams. A separate entry point, so that programs that poll do not include it.

/** Milliseconds within which the first bytes of a stream must arrive: a buffering proxy would hold them back. */
const FIRST_BYTES = 10_000;
/** Milliseconds for which queues are polled after a stream did not arrive. */
const POLLS_FOR = 600_000;
/** Milliseconds between two acknowledgements. */
const ACKNOWLEDGE_AFTER = 10_000;
const PATH = '/api/v1/events';

type SendRequest = (request: Request) => Promise<Response>;

/** The stream of one queue, and how far it was read. */
interface QueueStream {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly decoder: TextDecoder;
  readonly ending: AbortController;
  /** Received bytes that are not a whole frame yet. */
  rest: string;
  /** The newest event that was returned to a poll. */
  last: string;
  /** Whether a poll waits for the next events. */
  isRead: boolean;
  acknowledgedAt: number;
}

/**
 * Creates a `fetch` for `createClient` with which `client.events()` reads its queue as an event stream: one request
 * delivers each event when it happens, instead of one poll for each. Where the server or a proxy in between does not
 * support streams, the client polls.
 *
 * @param send - Sends requests. Default: the global `fetch`. Its responses must have a `body` that is a stream.
 * @since Feature level 237.
 * @see `/docs/guides/events/#streams` on your server
 * @example
 * import { createClient } from '@parley/client';
 * import { createStreamingFetch } from '@parley/client/stream';
 * const client = createClient(url, { login, fetch: createStreamingFetch() });
 */
export function createStreamingFetch(send: SendRequest = (request) => fetch(request)): SendRequest {
  const streams = new QueueStreams(send);
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.endsWith(PATH)) return send(request);
    const { queue_id, last_event_id, dont_block } = Object.fromEntries(searchParams);
    if (request.method === 'GET' && queue_id && last_event_id && dont_block !== 'true') {
      return streams.poll(request, queue_id, last_event_id);
    }
    // The program no longer reads the queue, or reads it in another way.
    if (request.method === 'GET' && queue_id) streams.end(queue_id);
    if (request.method === 'DELETE') {
      streams.end(new URLSearchParams(await request.clone().text()).get('queue_id') ?? '');
    }
    return send(request);
  };
}

class QueueStreams {
  readonly #send: SendRequest;
  readonly #streams = new Map<string, QueueStream>();
  /** No bytes of a stream arrived, as behind a buffering proxy: until then the queues are polled. */
  #pollsUntil = 0;

  constructor(send: SendRequest) {
    this.#send = send;
  }

  end(queue_id: string): void {
    this.#streams.get(queue_id)?.ending.abort();
    this.#streams.delete(queue_id);
  }

  /** Returns the next events of the stream for a poll, and opens the stream if necessary. */
  async poll(request: Request, queue_id: string, last: string): Promise<Response> {
    const known = this.#streams.get(queue_id);
    if (known && !known.isRead && known.last === last) {
      this.#acknowledge(request, queue_id, known);
      return this.#read(request, queue_id, known);
    }
    this.end(queue_id);
    const opened = Date.now() < this.#pollsUntil ? undefined : await openStream(this.#send, request, last);
    if (!opened) {
      if (Date.now() >= this.#pollsUntil) this.#pollsUntil = Date.now() + POLLS_FOR;
      return this.#send(request);
    }
    this.#pollsUntil = 0;
    if (opened instanceof Response) return opened;
    this.#streams.set(queue_id, opened);
    return this.#read(request, queue_id, opened);
  }

  async #read({ signal }: Request, queue_id: string, stream: QueueStream): Promise<Response> {
    let events: string[] | undefined;
    try {
      events = await nextEvents(stream, signal);
    } finally {
      // Another poll of the queue may have opened another stream.
      if (!events && this.#streams.get(queue_id) === stream) this.end(queue_id);
    }
    // The server has ended the stream: the client polls again a moment later, which opens another one.
    return toPollResponse(events ?? []);
  }

  /**
   * Acknowledges what the program has handled, so that the server can delete it. If the request is lost, the next one
   * acknowledges more.
   */
  #acknowledge({ url, headers, signal }: Request, queue_id: string, stream: QueueStream): void {
    if (Date.now() - stream.acknowledgedAt < ACKNOWLEDGE_AFTER) return;
    stream.acknowledgedAt = Date.now();
    const body = new URLSearchParams({ queue_id, last_event_id: stream.last });
    const request = new Request(`${url.split('?')[0]}/acknowledge`, { method: 'POST', headers, body, signal });
    this.#send(request).then(
      (response) => response.text(),
      () => {},
    );
  }
}

/** Opens a stream. Another response is returned as it is; undefined if no bytes of the stream arrive in time. */
async function openStream(
  send: SendRequest,
  request: Request,
  last: string,
): Promise<QueueStream | Response | undefined> {
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
    const [reader, decoder] = [response.body.getReader(), new TextDecoder()];
    const stream = { reader, decoder, ending, last, rest: '', isRead: false, acknowledgedAt: Date.now() };
    await readMore(stream);
    return stream;
  } catch (error) {
    if (isLate && !request.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
    undo();
  }
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

/** The event of a frame, as JSON. A comment counts as a heartbeat: it shows that the stream is alive. */
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
