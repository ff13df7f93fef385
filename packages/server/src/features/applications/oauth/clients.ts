// Identifies and authenticates the application of a request.
import type { PublicCtx } from '../../../core/context.ts';
import { type ApplicationRow, findApplication, lockApplication } from '../queries.ts';
import { isClientSecret } from '../secrets.ts';

/** The application id of a `client_id`; undefined if it is invalid. */
const parseClientId = (client_id: string): number | undefined =>
  /^[1-9]\d{0,14}$/.test(client_id) ? Number(client_id) : undefined;

export async function findClient(ctx: PublicCtx, client_id: string): Promise<ApplicationRow | undefined> {
  const id = parseClientId(client_id);
  return id === undefined ? undefined : findApplication(ctx.db, ctx.realm.id, id);
}

/** Locks the application: it does not change until the commit. */
export async function lockClient(ctx: PublicCtx, client_id: string): Promise<ApplicationRow | undefined> {
  const id = parseClientId(client_id);
  return id === undefined ? undefined : lockApplication(ctx.db, ctx.realm.id, id, 'share');
}

/** Returns the application, if it sent its correct secret, or is public and sent none. */
export async function authenticateClient(
  ctx: PublicCtx,
  client_id: string,
  client_secret: string | undefined,
): Promise<ApplicationRow | undefined> {
  const application = await lockClient(ctx, client_id);
  if (!application) return undefined;
  const { secret_hash } = application;
  if (secret_hash === null) return client_secret ? undefined : application;
  return client_secret && isClientSecret(secret_hash, client_secret) ? application : undefined;
}
