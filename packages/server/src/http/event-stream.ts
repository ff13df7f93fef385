// Event streams as responses: server-sent events, each written when it happens.
import type { Request, Response } from 'express';
import type { App } from '../app.ts';
import type { EventSink, EventStreamResponse } from '../core/event-stream.ts';
import { type PreserializedEvent, PreserializedEvents } from '../core/preserialized-events.ts';
import { findQuotaOwner, onResponseEnd, type QuotaOwner } from './byte-quota.ts';
import { dropRequestState } from './deferred-response.ts';
import { success } from './envelope.ts';
import { unreadError } from './unread-responses.ts';
import { checkResponse } from './validate.ts';

const TYPE = 'text/event-stream';

/** Whether the client prefers a stream of events to JSON. */
export const acceptsEventStream = (req: Request): boolean =>
  req.method === 'GET' && req.accepts(['application/json', TYPE]) === TYPE;

/** The header of a reconnecting client replaces the parameter of its first request. */
export function lastEventId(req: Request): [string, string][] {
  const sent = req.get('Last-Event-ID');
  return sent ? [['last_event_id', sent]] : [];
}

/** Begins a stream of events. */
export function streamEvents(app: App) {
  return (res: Response, stream: EventStreamResponse): void => {
    const { req } = res;
    dropRequestState(res);
    res.status(200).setHeader('Content-Type', TYPE);
    res.setHeader('Cache-Control', 'no-cache');
    // nginx would otherwise buffer the response.
    res.setHeader('X-Accel-Buffering', 'no');
    const sink = new ResponseSink(app, res);
    sink.sendComment('stream');
    const forget = stream.begin(sink);
    onResponseEnd(req, () => {
      sink.release();
      forget();
    });
  };
}

class ResponseSink implements EventSink {
  readonly #app: App;
  readonly #res: Response;
  readonly #owner: QuotaOwner;
  /** Bytes that were written and that the operating system has not accepted yet. */
  #unread = 0;
  #resume: (() => void) | undefined;

  constructor(app: App, res: Response) {
    this.#app = app;
    this.#res = res;
    this.#owner = findQuotaOwner(res.req);
    // The idle timeout runs only while bytes are unread.
    res.on('timeout', () => res.destroy());
  }

  send(events: readonly PreserializedEvent[]): boolean {
    try {
      checkResponse(this.#app, 'getEvents', 200, success({ events: new PreserializedEvents(events) }, []));
    } catch (error) {
      this.#app.log.error(
        { operation: 'getEvents', err: error },
        'a stream was ended by an event that is not as documented',
      );
      this.#res.destroy();
      return false;
    }
    const [only] = events;
    const frames = events.length === 1 && only ? only.frame : Buffer.concat(events.map(({ frame }) => frame));
    // The client resumes after the last event that it has read.
    if (unreadError(this.#app, this.#owner, frames.length)) {
      this.#res.destroy();
      return false;
    }
    return this.#write(frames);
  }

  onceDrained(resume: () => void): void {
    this.#resume = resume;
  }

  sendHeartbeat(): void {
    this.sendComment('heartbeat');
  }

  sendComment(text: string): void {
    this.#write(Buffer.from(`: ${text}\n\n`));
  }

  end(): void {
    this.#res.end();
  }

  /** Ends the count of unread bytes: the connection has closed. */
  release(): void {
    this.#resume = undefined;
    this.#app.responseBytes.release(this.#owner, this.#unread);
    this.#unread = 0;
  }

  #write(bytes: Buffer): boolean {
    const res = this.#res;
    if (res.destroyed || res.writableEnded) return false;
    const isRead = res.write(bytes, () => this.#noteRead(bytes.length));
    if (this.#unread === 0) res.req.socket.setTimeout(this.#app.idleTimeoutMs);
    this.#unread += bytes.length;
    this.#app.responseBytes.add(this.#owner, bytes.length);
    return isRead;
  }

  /** The operating system has accepted bytes from the process. */
  #noteRead(bytes: number): void {
    if (this.#unread === 0) return;
    this.#unread -= bytes;
    this.#app.responseBytes.release(this.#owner, bytes);
    if (this.#unread > 0) return;
    this.#res.req.socket.setTimeout(0);
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }
}
