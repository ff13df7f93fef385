import { isOwner } from '../../access/roles.ts';
import type { PublicCtx, User } from '../../core/context.ts';
import { fail, failConflict, failUnknown } from '../../core/errors.ts';
import { listAccountsForUpdate } from './queries.ts';
import { isLastOwner, type LockedAccount, type Role, requiresOwner } from './rules.ts';

/**
 * Returns the account and the acting user in their present state, locked against other changes. The Notification Bot
 * cannot be changed.
 */
export async function lockAccount(ctx: PublicCtx, id: number, actor?: User): Promise<LockedAccount> {
  const accounts = await listAccountsForUpdate(ctx.db, ctx.realm.id, actor ? [id, actor.id] : [id]);
  const find = (user_id: number) => accounts.find((one) => one.id === user_id);
  const user = find(id);
  if (!user || user.is_system_bot) failUnknown(`There is no user ${id}.`);
  const owners = accounts.filter((one) => isOwner(one) && one.is_active && one.bot_type === null);
  const acting = actor && find(actor.id);
  if (acting && !acting.is_active) fail('USER_DEACTIVATED', 'This account has been deactivated.');
  return { user, actor: acting, owner_ids: owners.map((owner) => owner.id) };
}

/** Fails unless the caller is an owner, for what only owners can do: make an owner, and change or deactivate one. */
export function requireAccountChange({ user, actor }: LockedAccount, role?: Role): void {
  if (role === undefined && actor && user.bot_owner_id === actor.id) return;
  if (!actor || isOwner(actor) || !requiresOwner(user, role)) return;
  fail('UNAUTHORIZED_PRINCIPAL', 'You must be an organization owner to do this.');
}

export function requireAnotherOwner(locked: LockedAccount): void {
  if (isLastOwner(locked)) failConflict('The last owner of an organization must stay an owner.');
}
