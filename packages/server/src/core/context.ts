import type { Db, tables } from '@parley/db';
import type { Event, Schema } from './contract.ts';

/** A person or a bot, as the database has them. The password hash stays with `features/auth`. */
export type User = Omit<typeof tables.users.$inferSelect, 'password_hash' | 'email_key'>;

export type RealmSettings = Required<Schema<'RealmSettingValues'>>;

/** The organization a request is for. */
export interface Realm {
  readonly id: number;
  readonly subdomain: string;
  /** `<subdomain>.<base domain>`, without a port. */
  readonly host: string;
  /** Where people reach it, e.g. `http://acme.example.com:8080`. */
  readonly url: string;
  readonly created_at: Date;
  readonly deactivated: boolean;
  readonly settings: RealmSettings;
  /** Whether guests see only the people they share something with (`can_access_all_users_group`). */
  readonly limits_guests: boolean;
  /** Whether the operator allows web-public streams on this server. */
  readonly web_public_streams_enabled: boolean;
}

/**
 * Whom an event is for: everyone that any of these names, less `except`. It is resolved when the event is delivered, so
 * whoever has lost access by then gets nothing.
 */
export interface Audience {
  /** Everyone active in the organization. */
  everyone?: true;
  /** Everyone but guests. */
  non_guests?: true;
  administrators?: true;
  users?: readonly number[];
  /** Who is in this conversation now and was when its newest message had this `seq`. */
  conversation?: { id: number; seq: number };
  /** Queues that asked for all public streams, while this stream is public and their owner no guest. */
  public_stream?: number;
  except?: readonly number[];
}

/** Facts of an event that only some queues get to see. They are not part of the payload. */
export interface Asides {
  /** Markdown of a message, for queues without `apply_markdown`. */
  raw_content?: string;
  /** The sender's own queue and what it calls the message. */
  local?: { queue_id: string; message_id: string };
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
}

/** The long polls that this process holds. */
export interface Polls {
  /** A name for a poll that is about to wait: whoever takes the queue over ends the poll by it, wherever it is. */
  ticket(): string;
  /** Waits for events after `after`. Empty when another poll of the queue, or its end, ended this one. */
  wait(queue: Queue, after: number, ticket: string): Promise<Delivered[]>;
  /** Ends the poll that has this ticket, if there is one, in whichever process it is. */
  end(queue_id: string, ticket: string | null): void;
}

/** What the running process offers to operations. */
export interface Server {
  readonly limits: RateLimits;
  readonly polls: Polls;
  readonly apiKeyOf: (user: { realm_id: number; id: number; key_version: number }) => string;
}

export interface RateLimits {
  /** Counts a failed password. */
  passwordFailed(realm_id: number, username: string): Promise<void>;
  /** Seconds until this username may try a password again; 0 when it may. */
  passwordWait(realm_id: number, username: string): Promise<number>;
  passwordSucceeded(realm_id: number, username: string): Promise<void>;
}

/** How a bucket stands after a request. */
export interface Verdict {
  /** Requests allowed in the largest window. */
  limit: number;
  remaining: number;
  /** When the window ends: UNIX time, milliseconds. */
  reset: number;
  /** Seconds to wait, when the request is one too many. */
  wait: number | undefined;
}

/** The buckets of requests; shared by every process on the same database. */
export interface RequestLimits {
  account(user: { realm_id: number; id: number }, bucket: 'account' | 'events'): Promise<Verdict | undefined>;
  address(ip: string): Promise<Verdict | undefined>;
  /** How the address stands, without counting a request. */
  addressNow(ip: string): Promise<Verdict | undefined>;
}

/** What an operation that needs no organization may touch. */
export interface ServerCtx {
  /** An open transaction; a plain connection for reads and for operations that manage their own. */
  readonly db: Db;
  readonly realm: Realm | undefined;
  readonly now: Date;
  /** The name of the client that asks (behaviour 1.7). */
  readonly client: string;
  readonly server: Server;
  /** Queues an event. It is written with the transaction, last, or not at all. */
  emit(event: Event, audience: Audience, asides?: Asides): void;
}

/** What any request to an organization may touch. Seven fields; think hard before adding an eighth. */
export interface PublicCtx extends ServerCtx {
  readonly realm: Realm;
}

export interface Ctx extends PublicCtx {
  readonly me: User;
}
