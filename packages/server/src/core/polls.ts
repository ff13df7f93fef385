import type { AccessToken } from './access-token.ts';
import type { Event, Schema } from './contract.ts';
import type { ResponseReceiver } from './deferred-response.ts';
import type { Audience } from './event-log/audience.ts';
import type { EventSink } from './event-stream.ts';
import type { PreserializedEvent, PreserializedEvents } from './preserialized-events.ts';

/** An event as a queue delivers it. */
export type Delivered = Schema<'Delivered'>;

/** An event queue, as far as delivering to it depends on it. */
export interface Queue {
  readonly id: string;
  readonly realm_id: number;
  readonly user_id: number;
  readonly event_types: readonly string[] | null;
  readonly narrow: readonly (readonly [string, string])[];
  readonly all_public_streams: boolean;
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean;
  readonly slim_presence: boolean;
  /** The version of the API key that the account had when the queue was claimed. */
  readonly key_version: number;
  /** The token that registered it, if one did. */
  readonly token?: Pick<AccessToken, 'id' | 'stream_id' | 'expires_at'> | undefined;
}

/** An event that is published at once and not stored, such as a typing notification. It is not in the log. */
export interface EphemeralEvent {
  readonly realm_id: number;
  readonly event: Event;
  readonly audience: Audience;
  readonly at: Date;
}

/** The position from which a client requests events. */
export interface PollPosition {
  /** The newest event it has, as it knows it. */
  readonly last_event_id: number;
  /** The ticket of the poll before this one, if there was one. */
  readonly poller: string | null;
  /** When that poll began, or the queue was registered: milliseconds. */
  readonly seen_at: number;
  /** Nothing up to here in the log is left to deliver to the queue. */
  readonly scanned: number;
  /** The newest event of the organization's log when the queue was claimed. */
  readonly newest: number;
  /** Seconds that the queue lives without a poll. */
  readonly lifespan_secs: number;
}

/** Credentials that this process has checked. */
export interface CheckedCredentials {
  readonly realm_id: number;
  readonly user_id: number;
  readonly key_version: number;
  /** The token; null: the API key of the account. */
  readonly token_id: number | null;
}

/** The long polls of this process. */
export interface Polls {
  /** Remembers that a queue begins here and now. */
  begin(queue_id: string, last_event_id: number): void;
  /** The newest event id that a queue was given, if its last poll was here. */
  findNewestSent(queue: { readonly id: string; readonly poller: string | null }): number | undefined;
  /** How far earlier polls looked for a queue here without finding anything, 0 if its row says so; the caller writes it down. */
  scanned(queue: Pick<Queue, 'id' | 'realm_id'>): number;
  /** A name for a poll that is about to wait. The next poll of the queue ends this one by it, in any process. */
  ticket(): string;
  /** What there is for a queue, without waiting. */
  read(queue: Queue, position: PollPosition): Promise<PreserializedEvent[]>;
  /** Gives events to who waits for them; none when another poll of the queue, or its end, ended this one. */
  wait(
    queue: Queue,
    position: PollPosition,
    ticket: string,
    waiter: ResponseReceiver<{ events: PreserializedEvents }>,
  ): void;
  /**
   * Continues the last poll of a queue, whose response this process sent. Returns a function that begins to wait; undefined if the request
   * must be checked first. Takes no statement.
   */
  continuePoll(
    queue_id: string,
    last_event_id: number,
    credentials: CheckedCredentials,
  ): ((waiter: ResponseReceiver<{ events: PreserializedEvents }>) => void) | undefined;
  /** The event of the log up to which the client of a queue acknowledged here; the row of the queue can be older. 0: unknown. */
  findAcknowledged(queue: Pick<Queue, 'id' | 'realm_id'>): number;
  /** Sends the events of a queue until the stream ends. Returns what to call when the client has closed the connection. */
  stream(queue: Queue, position: PollPosition, ticket: string, sink: EventSink): () => void;
  /** Ends the poll or stream that has this ticket, if there is one, in whichever process it is. */
  end(queue_id: string, ticket: string | null): void;
  /** Publishes an event at once, in all processes. It cannot be undone, so do it last. */
  publishEphemeral(event: EphemeralEvent): void;
}

export interface Polling {
  readonly polls: Polls;
}

/** For operations that end queues. */
export interface PollEnding {
  readonly polls: Pick<Polls, 'end'>;
}

/** For operations that publish ephemeral events. */
export interface EphemeralPublishing {
  readonly polls: Pick<Polls, 'publishEphemeral'>;
}

export interface EpochChecks {
  /** Ends all event queues if the database was restored since the last look. */
  readonly checkEpoch: () => Promise<void>;
}
