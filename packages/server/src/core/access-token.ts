import type { Schema } from './contract.ts';

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

export const isExpired = ({ expires_at }: Pick<AccessToken, 'expires_at'>, now: Date): boolean =>
  expires_at !== null && expires_at <= now;
