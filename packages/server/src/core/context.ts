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

/** A person or a bot, as the database has them. The password hash stays with `features/auth`. */
export type User = Omit<typeof tables.users.$inferSelect, 'password_hash' | 'email_key'>;

export type RealmSettings = Required<Schema<'RealmSettingValues'>>;

/** The organization a request is for. */
export interface Realm {
  readonly id: number;
  readonly subdomain: string;
  /** Random: what is derived from the server's secret depends on it as well. */
  readonly key_salt: string;
  /** `<subdomain>.<base domain>`, without a port. */
  readonly host: string;
  /** Where people reach it, e.g. `http://acme.example.com:8080`. */
  readonly url: string;
  readonly created_at: Date;
  readonly deactivated: boolean;
  readonly settings: RealmSettings;
  /** Whether guests see only the people they share something with (`can_access_all_users_group`). */
  readonly limits_guests: boolean;
  readonly has_linkifiers: boolean;
  /** Whether the operator allows web-public streams on this server. */
  readonly web_public_streams_enabled: boolean;
  /** The newest event when the request was admitted: what it reads is of that moment or a later one. */
  readonly last_event_id: number;
  /** Set in a transaction that has locked the settings: they and `limits_guests` are current until it ends. */
  readonly has_locked_settings?: true;
}

/**
 * The users an event is for: the union of these, without `except`. The server resolves it when it delivers the event, so
 * users who have lost access by then do not get the event.
 */
export interface Audience {
  /** Everyone active in the organization. */
  everyone?: true;
  /** Everyone but guests. */
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
  /** Who was in the stream `from` and not in `to`, and cannot read this message now. */
  lost?: { message_id: number; from: ConversationPosition; to: ConversationPosition };
  /** Queues that asked for all public streams, while this stream is public and their owner no guest. */
  public_stream?: number;
  except?: readonly number[];
}

/** A conversation when its newest number was this `seq`. Who was in it then has the number among those that they received. */
export interface ConversationPosition {
  readonly id: number;
  readonly seq: number;
}

/** Messages of a conversation by their `seq`; some of these may stand for none. */
export interface MessageSeqs {
  readonly conversation_id: number;
  /** An int4multirange literal without open ends. */
  readonly seqs: string;
  /** How many numbers these are. */
  readonly count: number;
}

/** Messages that a user had in their history without having received them. */
export interface IndividualAccess {
  readonly user_id: number;
  /** Of messages; ascending. */
  readonly ids: readonly number[];
}

/** Facts of an event that decide how it is delivered. They are not part of the payload. */
export interface EventDeliveryMetadata {
  /** Markdown of a message, for queues without `apply_markdown`. */
  raw_content?: string;
  /** The sender's own queue and what it calls the message. */
  local?: { queue_id: string; message_id: string };
  /** The `seq` that each of `message_ids` has or had in a conversation. */
  seqs?: {
    readonly conversation_id: number;
    readonly of: readonly number[];
    /** Its history is protected: users get events about the messages that they received. */
    readonly is_protected: boolean;
    /** They are gone from it. */
    readonly are_gone: boolean;
    /** For streams with protected history: messages that users had individual access to and lost. */
    readonly kept?: readonly IndividualAccess[];
  };
  /** It is about the messages that had these numbers when it was written; which they are is looked up when it is delivered. */
  numbers?: readonly MessageSeqs[];
  /** What `prewriteEventLists` gave for the lists that it begins with; `message_ids` and `seqs` are those that follow. */
  ahead?: number;
  /** It is about all messages of this topic up to that id; which they are is looked up when it is delivered. */
  topic?: { id: number; up_to: number };
  /**
   * Statements that run as parts of the one that writes the event, the last of the transaction: each inserts, updates or deletes
   * rows that no other of them touches, and has a `returning` clause. Nothing in the transaction sees what they write.
   */
  writes?: readonly SQL[];
}

/** The token that a request came with, and what it can be used for. */
export interface AccessToken {
  readonly id: number;
  readonly scopes: readonly Schema<'TokenScope'>[];
  /** The only stream that it is for; null: all. */
  readonly stream_id: number | null;
  /** The only types of events that it can read; null: all. */
  readonly event_types: readonly string[] | null;
  /** Null: never. */
  readonly expires_at: Date | null;
}

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
  /** Of a queue that is followed as a stream: the version of the API key that opened the stream. */
  readonly key_version?: number;
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

/** The position from which a client asks for events. */
export interface PollPosition {
  /** The newest event it has, as it knows it. */
  readonly last_event_id: number;
  /** The ticket of the poll before this one, if there was one. */
  readonly poller: string | null;
  /** When that poll began, or the queue was registered: milliseconds. */
  readonly seen_at: number;
  /** Nothing up to here in the log is left to deliver to the queue. */
  readonly scanned: number;
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
  read(queue: Queue, asking: PollPosition): Promise<PreserializedEvent[]>;
  /** Gives events to who waits for them; none when another poll of the queue, or its end, ended this one. */
  wait(
    queue: Queue,
    asking: PollPosition,
    ticket: string,
    waiter: ResponseReceiver<{ events: PreserializedEvents }>,
  ): void;
  /** Sends the events of a queue until the stream ends. Returns what to call when the client has closed the connection. */
  stream(queue: Queue, asking: PollPosition, ticket: string, sink: EventSink): () => void;
  /** Ends the poll or stream that has this ticket, if there is one, in whichever process it is. */
  end(queue_id: string, ticket: string | null): void;
  /** Publishes an event at once, in all processes. It cannot be undone, so do it last. */
  publishEphemeral(event: EphemeralEvent): void;
}

/** Identifies a cached value that many registrations share. */
export interface SnapshotKey {
  /** All that the value depends on besides the organization. */
  readonly name: string;
  /** The types of events that can change the value. */
  readonly invalidatedBy: readonly Event['type'][];
}

/** A cache of values that many registrations share. */
export interface SnapshotCache {
  /** The newest event of the organization that the caller's transaction sees. The transaction must see one moment. */
  findSnapshot(ctx: Pick<PublicCtx, 'db' | 'realm'>): Promise<number>;
  /** Has `findSnapshot` know the newest event without asking the database, in a transaction that sees one moment. */
  rememberSnapshot(ctx: Pick<PublicCtx, 'db'>, last_event_id: number): void;
  /** The cached value if it is current for the caller's snapshot, else what `make` returns. The transaction must be repeatable read. */
  getOrCompute<T extends { readonly bytes: number }>(
    ctx: Pick<PublicCtx, 'db' | 'realm'>,
    share: SnapshotKey,
    make: () => Promise<T>,
  ): Promise<T>;
}

/** What the running process offers to operations. */
export interface Server {
  readonly snapshotCache: SnapshotCache;
  /**
   * What `make` returns, or returned before if there was no event in the organization since: for small values of which every
   * change comes with an event.
   */
  readonly memoizeUntilNextEvent: <T>(
    ctx: Pick<PublicCtx, 'realm'>,
    name: string,
    make: () => Promise<T>,
  ) => Promise<T>;
  readonly limits: RateLimits;
  readonly polls: Polls;
  /** Ends all event queues if the database was restored since the last look. */
  readonly checkEpoch: () => Promise<void>;
  /** What the database has of a token in place of its secret. */
  readonly tokenHashOf: (secret: string) => string;
  /** The same, and what the database has if it was written with the previous secret of the server. */
  readonly tokenHashesOf: (secret: string) => { readonly hash: string; readonly former: string };
  readonly apiKeyOf: (realm: SaltedRealm, user: { id: number; key_version: number }) => string;
  /** The secret part of a stream's email address. */
  readonly mailTokenOf: (realm: SaltedRealm, stream: { id: number; email_version: number }) => string;
  /** A text for the database that only processes with the same secret can read, and only for the same organization. */
  readonly seal: (realm: SaltedRealm, text: string) => string;
  /** Bytes that the files of one organization may take up. */
  readonly upload_space: number;
  readonly collection_limits: CollectionLimits;
  /** Reads it; fails for what was not written so. */
  readonly unseal: (realm: SaltedRealm, sealed: string) => string;
  /** Where else people prove who they are. */
  readonly identity: IdentityServices;
  readonly log: Logger;
  /** Milliseconds that an operation goes on which works in batches; then it says how far it came. */
  readonly budget: number;
  /** Waits as long as the work since then took, so that a large operation leaves half of the machine to other requests. */
  throttle(since: number): Promise<void>;
  /** Does the quick part of an operation that manages itself, for the same caller, in a transaction. */
  inTransaction<C extends PublicCtx, T>(
    caller: C,
    work: (ctx: C) => Promise<T>,
    /** Whether all that it reads is from one snapshot. */
    repeatableRead?: boolean,
  ): Promise<T>;
}

/** A password that a client tries. */
export interface PasswordAttempt {
  /** Each purpose has counters of its own. */
  readonly purpose: 'login' | 'directory' | 'old_password';
  readonly realm_id: number;
  /** Whose password it would be: an email address, a name in a directory, or an id. */
  readonly username: string;
  /** Where the client is. */
  readonly network: string;
}

export interface PasswordLimits {
  /** Counts a failed password. */
  passwordFailed(attempt: PasswordAttempt): Promise<void>;
  /**
   * Seconds until this network may try a password for this username again, and until any network may; 0 when it may. A network
   * that has logged in to the account need not mind the second.
   */
  passwordWait(attempt: PasswordAttempt): Promise<{ network: number; all: number }>;
  passwordSucceeded(attempt: PasswordAttempt): Promise<void>;
}

export interface RateLimits extends PasswordLimits {
  /** Counts a change of an account's email address. */
  emailChange(user: { realm_id: number; id: number }): Promise<RateLimitVerdict | undefined>;
}

/** How a bucket stands after a request. */
export interface RateLimitVerdict {
  /** Requests allowed in the largest window. */
  limit: number;
  remaining: number;
  /** When the window ends: UNIX time, milliseconds. */
  reset: number;
  /** Seconds to wait, when the request is one too many. */
  wait: number | undefined;
}

export interface RequestingUser {
  readonly realm_id: number;
  readonly id: number;
  readonly bot_owner_id?: number | null;
}

/**
 * What an address is counted for, each on its own: reads without credentials, credentials that are wrong, attempts to log in,
 * pictures that do not exist, and requests of applications for tokens.
 */
export type AddressCounter = 'reads' | 'failures' | 'logins' | 'pictures' | 'tokens';

/** The buckets of requests; shared by every process on the same database. */
export interface RequestLimits {
  /** A bot counts with the other bots of its owner as well, but for polls. */
  account(user: RequestingUser, bucket: 'account' | 'events'): Promise<RateLimitVerdict | undefined>;
  address(ip: string | undefined, counter: AddressCounter): Promise<RateLimitVerdict | undefined>;
  /** Takes back that a request was counted. */
  release(user: RequestingUser, bucket: 'account' | 'events'): void;
}

/** What an operation that needs no organization may touch. */
export interface ServerCtx {
  /** An open transaction; a plain connection for reads and for operations that manage their own. */
  readonly db: Db;
  readonly realm: Realm | undefined;
  readonly now: Date;
  /** The name of the client that asks (docs/behaviour/requests.md#client-names). */
  readonly client: string;
  /** The network that the request came from; empty for jobs and commands. Wrong passwords count by it. */
  readonly network: string;
  readonly server: Server;
  /** Queues an event. It is written with the transaction, last, or not at all. */
  emit(event: Event, audience: Audience, metadata?: EventDeliveryMetadata): void;
}

/** What any request to an organization may touch. Every operation has each of these fields: think hard before adding one. */
export interface PublicCtx extends ServerCtx {
  readonly realm: Realm;
}

export interface Ctx extends PublicCtx {
  readonly me: User;
  /** The token that the request came with: event queues are the token's own. Undefined: it came with the API key of the account. */
  readonly token?: AccessToken | undefined;
}
