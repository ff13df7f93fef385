import type { Schema } from '../../core/contract.ts';
import type { TokenRow } from './queries.ts';

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);
const toOptionalSeconds = (time: Date | null): number | null => time && toSeconds(time);

/** A token as users see it who can revoke it. */
export function presentToken(row: TokenRow): Schema<'Token'> {
  return {
    id: row.id,
    user_id: row.user_id,
    name: row.name,
    application_id: row.application_id,
    scopes: [...row.scopes],
    stream_id: row.stream_id,
    event_types: row.event_types,
    created_at: toSeconds(row.created_at),
    expires_at: toOptionalSeconds(row.expires_at),
    last_used_at: toOptionalSeconds(row.last_used_at),
  };
}
