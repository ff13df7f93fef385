import type { Ctx } from '../../core/context.ts';
import type { Sealing } from '../../core/sealing.ts';
import type { SaltedRealm } from '../../core/secrets.ts';
import type { StoredUpload } from './queries/files.ts';
import { TEMPORARY } from './rules.ts';

/** The content of a temporary URL: the user, the file, and the expiry. */
export interface Ticket {
  readonly realm_id: number;
  readonly user_id: number;
  readonly key: string;
  readonly name: string;
  /** UNIX time in milliseconds. */
  readonly until: number;
}

/** A temporary address of the file, which needs no credentials. */
export function createTemporaryUrl(ctx: Ctx<Sealing>, { key, name }: Pick<StoredUpload, 'key' | 'name'>): string {
  const until = ctx.now.getTime() + TEMPORARY;
  const ticket: Ticket = { realm_id: ctx.realm.id, user_id: ctx.me.id, key, name, until };
  const token = Buffer.from(ctx.server.seal('file_ticket', ctx.realm, JSON.stringify(ticket)), 'base64').toString(
    'base64url',
  );
  return `/user_uploads/temporary/${token}/${encodeURIComponent(name)}`;
}

/** The content of a token, if this server issued it for this organization and it has not expired. */
export function parseTicket(
  { unseal }: Pick<Sealing, 'unseal'>,
  realm: SaltedRealm,
  token: string,
  now: Date,
): Ticket | undefined {
  try {
    const text = unseal('file_ticket', realm, Buffer.from(token, 'base64url').toString('base64'));
    const ticket = JSON.parse(text) as Ticket;
    return ticket.until > now.getTime() ? ticket : undefined;
  } catch {
    return undefined;
  }
}
