import type { PreserializedEvent } from './preserialized-events.ts';

/** The connection to the client of an event stream. */
export interface EventSink {
  /** Sends events. Returns whether the client keeps up: if not, the next events wait for `onceDrained`. */
  send(events: readonly PreserializedEvent[]): boolean;
  /** Calls `resume` once, when the client has read what was sent. */
  onceDrained(resume: () => void): void;
  /** Sends a comment, which shows the client and proxies that the connection is alive. */
  sendHeartbeat(): void;
  /** Ends the response. */
  end(): void;
}

/** The result of a handler whose response is an event stream. It stays open until one side ends it. */
export class EventStreamResponse {
  /** Starts sending, and returns a function to call when the client has closed the connection. */
  readonly begin: (sink: EventSink) => () => void;

  constructor(begin: (sink: EventSink) => () => void) {
    this.begin = begin;
  }
}
