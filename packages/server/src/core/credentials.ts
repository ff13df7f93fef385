// What the server derives from its secret for its clients.
import type { SaltedRealm } from './secrets.ts';

export interface ApiKeys {
  readonly apiKeyOf: (realm: SaltedRealm, user: { id: number; key_version: number }) => string;
}

export interface TokenHashing {
  /** What the database has of a token in place of its secret. */
  readonly tokenHashOf: (secret: string) => string;
  /** The same, and what the database has if it was written with the previous secret of the server. */
  readonly tokenHashesOf: (secret: string) => { readonly hash: string; readonly former: string };
}

export interface StreamAddresses {
  /** The secret part of a stream's email address. */
  readonly mailTokenOf: (realm: SaltedRealm, stream: { id: number; email_version: number }) => string;
}
