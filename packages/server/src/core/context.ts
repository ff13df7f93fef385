import type { Db, tables } from '@parley/db';
import type { AccessToken } from './access-token.ts';
import type { CollectionLimits } from './collection-limits.ts';
import type { Event, Schema } from './contract.ts';
import type { Audience } from './event-log/audience.ts';
import type { EventDeliveryMetadata } from './event-log/delivery-metadata.ts';
import type { IdentityServices } from './identity.ts';
import type { Logger } from './log.ts';
import type { Polls } from './polls.ts';
import type { RateLimits } from './rate-limits.ts';
import type { SaltedRealm } from './secrets.ts';
import type { SnapshotCache } from './snapshot-cache.ts';

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
