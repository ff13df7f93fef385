import type { Schema } from '../../core/contract.ts';
import type { ApplicationRow } from './queries.ts';

/** An application as administrators see it. */
export function presentApplication(row: ApplicationRow): Schema<'Application'> {
  return {
    id: row.id,
    client_id: String(row.id),
    name: row.name,
    redirect_uris: row.redirect_uris,
    scopes: row.scopes,
    is_confidential: row.secret_hash !== null,
    creator_id: row.creator_id,
    created_at: Math.floor(row.created_at.getTime() / 1000),
  };
}
