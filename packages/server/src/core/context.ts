import type { Db, tables } from '@parley/db';
import type { SQL } from 'drizzle-orm';
import type { CollectionLimits } from './collection-limits.ts';
import type { Event, Schema } from './contract.ts';
import type { ResponseReceiver } from './deferred-response.ts';
import type { EventSink } from './event-stream.ts';
import type { IdentityServices } from './identity.ts';
import type { Logger } from './log.ts';
import type { PreserializedEvent, PreserializedEvents } from './preserialized-events.ts';
import type { SaltedRealm } from './secrets.ts';

/** A user or a bot, as the database stores them. The password hash stays in `features/auth`. */
export type User = Omit<typeof tables.users.$inferSelect, 'password_hash' | 'email_key'>;

export type RealmSettings = Required<Schema<'RealmSettingValues'>>;

/** The organization of a request. */
export interface Realm {
  readonly id: number;
  readonly subdomain: string;
  /** Random: values derived from the server's secret depend on it as well. */
  readonly key_salt: string;
  /** `<subdomain>.<base domain>`, without a port. */
  readonly host: string;
  /** The public URL, e.g. `http://acme.example.com:8080`. */
  readonly url: string;
  readonly created_at: Date;
  readonly deactivated: boolean;
  readonly settings: RealmSettings;
  /** Whether guests see only users with whom they share a stream or conversation (`can_access_all_users_group`). */
  readonly limits_guests: boolean;
  readonly has_linkifiers: boolean;
  /** Whether the operator allows web-public streams on this server. */
  readonly web_public_streams_enabled: boolean;
  /** The newest event when the request was admitted: the request reads that state or a later one. */
  readonly last_event_id: number;
  /** Set in a transaction that has locked the settings: they and `limits_guests` are current until it ends. */
  readonly has_locked_settings?: true;
}

/**
 * The users an event is for: the union of these, without `except`. The server resolves it when it delivers the event, so
 * users who have lost access by then do not get the event.
 */
export interface Audience {
  /** All active users of the organization. */
  everyone?: true;
  /** All active users except guests. */
  non_guests?: true;
  administrators?: true;
  users?: readonly number[];
  /**
   * Limits the audience to those of `users` who are in this conversation now, and were when its newest message had this `seq`.
   * Servers of earlier releases do not know it: to them the event is for all of `users`.
   */
  users_of?: ConversationPosition;
  /** Users who are in this conversation now, and were when its newest message had this `seq`, if one is given. */
  conversation?: { id: number; seq?: number };
  /**
   * Users who can read the message now: subscribers of its stream, and users with the message in their history. Where history
   * is shared, this includes later subscribers. After a move to another stream: users with the message in their history there,
   * and users who were in the stream `left`.
   */
  message?: { id: number; left?: ConversationPosition };
  /** Users who were in the stream `from` and not in `to`, and cannot read this message now. */
  lost?: { message_id: number; from: ConversationPosition; to: ConversationPosition };
  /** Queues with `all_public_streams`, while this stream is public and the owner of the queue is not a guest. */
  public_stream?: number;
  except?: readonly number[];
}

/**
 * A conversation when its newest number was this `seq`. Users who were in it then have that number in their received
 * range.
 */
export interface ConversationPosition {
  readonly id: number;
  readonly seq: number;
}

/** Messages of a conversation by their `seq`; some numbers may have no message. */
export interface MessageSeqs {
  readonly conversation_id: number;
  /** An int4multirange literal without open ends. */
  readonly seqs: string;
  /** The count of the numbers. */
  readonly count: number;
}

/** Messages that a user had in their history without having received them. */
export interface IndividualAccess {
  readonly user_id: number;
  /** Message ids, ascending. */
  readonly ids: readonly number[];
}

/** Facts of an event that decide how it is delivered. They are not part of the payload. */
export interface EventDeliveryMetadata {
  /** Markdown of a message, for queues without `apply_markdown`. */
  raw_content?: string;
  /** The sender's own queue and the local id of the message. */
  local?: { queue_id: string; message_id: string };
  /** The `seq` that each of `message_ids` has or had in a conversation. */
  seqs?: {
    readonly conversation_id: number;
    readonly of: readonly number[];
    /** Its history is protected: users get events about the messages that they received. */
    readonly is_protected: boolean;
    /** The messages are no longer in it. */
    readonly are_gone: boolean;
    /** For streams with protected history: messages that users had individual access to and lost. */
    readonly kept?: readonly IndividualAccess[];
  };
  /** The event is about the messages that had these numbers when it was written. They are looked up at delivery. */
  numbers?: readonly MessageSeqs[];
  /** The result of `prewriteEventLists` for the beginnings of the lists; `message_ids` and `seqs` contain the rest. */
  ahead?: number;
  /** The event is about all messages of this topic up to that id. They are looked up at delivery. */
  topic?: { id: number; up_to: number };
  /**
   * Statements that run as parts of the one that writes the event, the last of the transaction: each inserts, updates or deletes
   * rows that no other of them touches, and has a `returning` clause. Nothing in the transaction sees what they write.
   */
  writes?: readonly SQL[];
}

/** The token of a request, and what it can be used for. */
export interface AccessToken {
  readonly id: number;
  readonly scopes: readonly Schema<'TokenScope'>[];
  /** The only stream that it can be used for; null: all. */
  readonly stream_id: number | null;
  /** The only event types that it can read; null: all. */
  readonly event_types: readonly string[] | null;
  /** Null: it does not expire. */
  readonly expires_at: Date | null;
}

/** An event as a queue delivers it. */
export type Delivered = Schema<'Delivered'>;

/** The columns of an event queue on which delivery depends. */
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
  /** For a queue that is open as a stream: the version of the API key that opened the stream. */
  readonly key_version?: number;
  /** The token that registered it, if there was one. */
  readonly token?: Pick<AccessToken, 'id' | 'stream_id' | 'expires_at'> | undefined;
}

/** An event that is published at once and not stored in the log, such as a typing notification. */
export interface EphemeralEvent {
  readonly realm_id: number;
  readonly event: Event;
  readonly audience: Audience;
  readonly at: Date;
}

/** The position from which a client requests events. */
export interface PollPosition {
  /** The newest event that the client has, as a client id. */
  readonly last_event_id: number;
  /** The ticket of the previous poll, if there was one. */
  readonly poller: string | null;
  /** When that poll began, or the queue was registered: UNIX time in milliseconds. */
  readonly seen_at: number;
  /** All events of the log up to here were delivered to the queue or skipped. */
  readonly scanned: number;
}

/** The long polls of this process. */
export interface Polls {
  /** Remembers that a queue begins now in this process. */
  begin(queue_id: string, last_event_id: number): void;
  /** The newest event id that was sent for a queue, if its last poll was in this process. */
  findNewestSent(queue: { readonly id: string; readonly poller: string | null }): number | undefined;
  /**
   * How far earlier polls in this process read the log for a queue without finding anything; 0 if its row is up to
   * date. The caller stores it.
   */
  scanned(queue: Pick<Queue, 'id' | 'realm_id'>): number;
  /**
   * Returns a ticket for a poll that is about to wait. The queue's next poll, in any process, ends this one by its
   * ticket.
   */
  ticket(): string;
  /** Returns the events for a queue now, without waiting. */
  read(queue: Queue, asking: PollPosition): Promise<PreserializedEvent[]>;
  /**
   * Delivers events to a waiting poll; none when another poll of the queue, or the end of the queue, ended this one.
   */
  wait(
    queue: Queue,
    asking: PollPosition,
    ticket: string,
    waiter: ResponseReceiver<{ events: PreserializedEvents }>,
  ): void;
  /** Streams the events of a queue. Returns a function to call when the client has closed the connection. */
  stream(queue: Queue, asking: PollPosition, ticket: string, sink: EventSink): () => void;
  /** Ends the poll or stream that has this ticket, if there is one, in whichever process it is. */
  end(queue_id: string, ticket: string | null): void;
  /** Publishes an event at once, in all processes. It cannot be undone, so call it last. */
  publishEphemeral(event: EphemeralEvent): void;
}

/** Identifies a cached value that many registrations share. */
export interface SnapshotKey {
  /** Identifies everything that the value depends on besides the organization. */
  readonly name: string;
  /** The types of events that can change the value. */
  readonly invalidatedBy: readonly Event['type'][];
}

/** A cache of values that many registrations share. */
export interface SnapshotCache {
  /**
   * The newest event of the organization in the snapshot of the caller's transaction, which must be repeatable read.
   */
  findSnapshot(ctx: Pick<PublicCtx, 'db' | 'realm'>): Promise<number>;
  /** Sets the result of `findSnapshot` without a query, in a transaction that is repeatable read. */
  rememberSnapshot(ctx: Pick<PublicCtx, 'db'>, last_event_id: number): void;
  /**
   * Returns the cached value if it is current for the caller's snapshot, else the result of `make`. The transaction
   * must be repeatable read.
   */
  getOrCompute<T extends { readonly bytes: number }>(
    ctx: Pick<PublicCtx, 'db' | 'realm'>,
    share: SnapshotKey,
    make: () => Promise<T>,
  ): Promise<T>;
}

/** What the running process provides to operations. */
export interface Server {
  readonly snapshotCache: SnapshotCache;
  /**
   * Returns the result of `make`, cached until the organization's next event: for small values whose every change emits
   * an event.
   */
  readonly memoizeUntilNextEvent: <T>(
    ctx: Pick<PublicCtx, 'realm'>,
    name: string,
    make: () => Promise<T>,
  ) => Promise<T>;
  readonly limits: RateLimits;
  readonly polls: Polls;
  /** Ends all event queues if the database was restored since the last check. */
  readonly checkEpoch: () => Promise<void>;
  /** The hash that the database stores of a token. */
  readonly tokenHashOf: (secret: string) => string;
  /** The same, and the hash with the previous secret of the server. */
  readonly tokenHashesOf: (secret: string) => { readonly hash: string; readonly former: string };
  readonly apiKeyOf: (realm: SaltedRealm, user: { id: number; key_version: number }) => string;
  /** The secret part of a stream's email address. */
  readonly mailTokenOf: (realm: SaltedRealm, stream: { id: number; email_version: number }) => string;
  /**
   * Encrypts a text for storage: only processes with the same secret can read it, and only for the same organization.
   */
  readonly seal: (realm: SaltedRealm, text: string) => string;
  /** The maximum size of the files of one organization, in bytes. */
  readonly upload_space: number;
  readonly collection_limits: CollectionLimits;
  /** Decrypts it; fails for a text that was not encrypted so. */
  readonly unseal: (realm: SaltedRealm, sealed: string) => string;
  /** The external identity services. */
  readonly identity: IdentityServices;
  readonly log: Logger;
  /** Milliseconds after which an operation that works in batches ends; it then reports how far it came. */
  readonly budget: number;
  /**
   * Waits as long as the work took since the given time, so that a large operation leaves half of the machine to other
   * requests.
   */
  throttle(since: number): Promise<void>;
  /** Runs the quick part of an operation with `ownTransaction` for the same caller, in a transaction. */
  inTransaction<C extends PublicCtx, T>(
    caller: C,
    work: (ctx: C) => Promise<T>,
    /** Whether it reads from one snapshot. */
    repeatableRead?: boolean,
  ): Promise<T>;
}

/** An attempt to authenticate with a password. */
export interface PasswordAttempt {
  /** Each purpose has counters of its own. */
  readonly purpose: 'login' | 'directory' | 'old_password';
  readonly realm_id: number;
  /** The account of the password: an email address, a name in a directory, or an id. */
  readonly username: string;
  /** The network of the client. */
  readonly network: string;
}

export interface PasswordLimits {
  /** Counts a failed password. */
  passwordFailed(attempt: PasswordAttempt): Promise<void>;
  /**
   * Seconds until this network can try a password for this username again, and until any network can; 0 for at once.
   * The second does not apply to networks that have logged in to the account.
   */
  passwordWait(attempt: PasswordAttempt): Promise<{ network: number; all: number }>;
  passwordSucceeded(attempt: PasswordAttempt): Promise<void>;
}

export interface RateLimits extends PasswordLimits {
  /** Counts a change of an account's email address. */
  emailChange(user: { realm_id: number; id: number }): Promise<RateLimitVerdict | undefined>;
}

/** The state of a bucket after a request. */
export interface RateLimitVerdict {
  /** The maximum number of requests in the largest window. */
  limit: number;
  remaining: number;
  /** When the window ends: UNIX time in milliseconds. */
  reset: number;
  /** Seconds to wait, if the request exceeds the limit. */
  wait: number | undefined;
}

export interface RequestingUser {
  readonly realm_id: number;
  readonly id: number;
  readonly bot_owner_id?: number | null;
}

/**
 * What is counted by address, each separately: reads without credentials, wrong credentials, login attempts, pictures
 * that do not exist, and token requests of applications.
 */
export type AddressCounter = 'reads' | 'failures' | 'logins' | 'pictures' | 'tokens';

/** The buckets of requests, shared by all processes on the same database. */
export interface RequestLimits {
  /** Counts a request. A bot also counts together with the other bots of its owner, except for polls. */
  account(user: RequestingUser, bucket: 'account' | 'events'): Promise<RateLimitVerdict | undefined>;
  address(ip: string | undefined, counter: AddressCounter): Promise<RateLimitVerdict | undefined>;
  /** Undoes the counting of a request. */
  release(user: RequestingUser, bucket: 'account' | 'events'): void;
}

/** The context of operations that need no organization. */
export interface ServerCtx {
  /** An open transaction; a plain connection for reads and for operations that open their own. */
  readonly db: Db;
  readonly realm: Realm | undefined;
  readonly now: Date;
  /** The name of the requesting client (docs/behaviour/requests.md#client-names). */
  readonly client: string;
  /** The network of the request, by which wrong passwords are counted; empty for jobs and commands. */
  readonly network: string;
  readonly server: Server;
  /** Queues an event. It is written last in the transaction, or not at all if the transaction fails. */
  emit(event: Event, audience: Audience, metadata?: EventDeliveryMetadata): void;
}

/**
 * The context of operations in an organization. Every operation has each of these fields: add one only for a strong
 * reason.
 */
export interface PublicCtx extends ServerCtx {
  readonly realm: Realm;
}

export interface Ctx extends PublicCtx {
  readonly me: User;
  /** The token of the request: event queues belong to it. Undefined: the request has the API key of the account. */
  readonly token?: AccessToken | undefined;
}
