import type { PreserializedEvent } from './preserialized-events.ts';

/** The client's side of a stream of events. */
export interface EventSink {
  /** Sends events. Returns whether the client keeps up: if not, the next events wait for `onceDrained`. */
  send(events: readonly PreserializedEvent[]): boolean;
  /** Calls `resume` once, when the client has read what was sent. */
  onceDrained(resume: () => void): void;
  /** Sends a comment, by which the client and proxies see that the connection is alive. */
  sendHeartbeat(): void;
  /** Ends the response. */
  end(): void;
}

/** What a handler returns whose response is a stream of events. It goes on until one side ends it. */
export class EventStreamResponse {
  /** Begins to send, and returns what to call when the client has closed the connection. */
  readonly begin: (sink: EventSink) => () => void;

  constructor(begin: (sink: EventSink) => () => void) {
    this.begin = begin;
  }
}
