import type { Db, tables } from '@parley/db';
import type { AccessToken } from './access-token.ts';
import type { Event, Schema } from './contract.ts';
import type { Audience } from './event-log/audience.ts';
import type { EventDeliveryMetadata } from './event-log/delivery-metadata.ts';

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
  /**
   * The newest event when the request was admitted: the request reads that state or a later one. Undefined where the
   * organization was not read for the request.
   */
  readonly last_event_id: number | undefined;
  /** Set in a transaction that has locked the settings: they and `limits_guests` are current until it ends. */
  readonly has_locked_settings?: true;
}

/**
 * What an operation that needs no organization may touch. A function names what it uses of the running server (`core/server.ts`)
 * as `Services`, and has nothing else of it.
 */
export interface ServerCtx<Services extends object = object> {
  /** An open transaction; a plain connection for reads and for operations that manage their own. */
  readonly db: Db;
  readonly realm: Realm | undefined;
  readonly now: Date;
  /** The name of the requesting client (docs/behaviour/requests.md#client-names). */
  readonly client: string;
  /** The network of the request, by which wrong passwords are counted; empty for jobs and commands. */
  readonly network: string;
  readonly server: Services;
  /** Queues an event. It is written with the transaction, last, or not at all. */
  emit(event: Event, audience: Audience, metadata?: EventDeliveryMetadata): void;
}

/** What any request to an organization may touch. Every operation has each of these fields: think hard before adding one. */
export interface PublicCtx<Services extends object = object> extends ServerCtx<Services> {
  readonly realm: Realm;
}

export interface Ctx<Services extends object = object> extends PublicCtx<Services> {
  readonly me: User;
  /** The token of the request: event queues belong to it. Undefined: the request has the API key of the account. */
  readonly token?: AccessToken | undefined;
}
