import type { Ctx, PublicCtx, User } from '../../core/context.ts';
import { failConflict, failUnknown } from '../../core/errors.ts';
import { getApiEmail } from './present.ts';
import { listUsersByEmailKeys, listUsersByIds } from './queries/users.ts';
import { parseHiddenAddress } from './rules.ts';
import { listVisibleUserIds } from './visibility.ts';

/** Users by API email, ignoring case; the keys are the addresses as given. */
export async function listUsersByApiEmails(
  ctx: Pick<PublicCtx, 'db' | 'realm'>,
  emails: readonly string[],
): Promise<Map<string, User>> {
  if (emails.length === 0) return new Map();
  const keys = [...new Set(emails.map((email) => email.toLowerCase()))];
  const hidden_ids = keys.flatMap((key) => parseHiddenAddress(key, ctx.realm.host) ?? []);
  const found = await listUsersByEmailKeys(ctx.db, ctx.realm.id, { keys, hidden_ids });
  const byEmail = new Map(found.map((user) => [getApiEmail(ctx.realm, user).toLowerCase(), user]));
  return new Map(
    emails.flatMap((email) => {
      const user = byEmail.get(email.toLowerCase());
      return user ? [[email, user] as const] : [];
    }),
  );
}

/**
 * The accounts that a request names, in its order and each once. Fails for an account that is unknown, deactivated, the
 * server's own, or not visible to the caller, and names it.
 */
export async function requirePrincipals(ctx: Ctx, principals: readonly number[] | readonly string[]): Promise<User[]> {
  const found = await findNamed(ctx, principals);
  const visible = await listVisibleUserIds(ctx);
  const users = principals.map((principal) => {
    const user = found.get(principal);
    const known = user && !user.is_system_bot && (visible === 'all' || visible.has(user.id));
    if (!known) failUnknown(`There is no user ${principal}.`);
    return user.is_active ? user : failConflict(`The user ${principal} is deactivated.`);
  });
  return [...new Map(users.map((user) => [user.id, user])).values()];
}

async function findNamed(
  ctx: Ctx,
  principals: readonly number[] | readonly string[],
): Promise<ReadonlyMap<number | string, User>> {
  const emails = principals.filter((principal) => typeof principal === 'string');
  if (emails.length > 0) return listUsersByApiEmails(ctx, emails);
  const ids = principals.filter((principal) => typeof principal === 'number');
  return new Map((await listUsersByIds(ctx.db, ctx.realm.id, ids)).map((user) => [user.id, user]));
}

/** The user or bot with this id or API email, if the caller can see them. */
export async function requireUser(ctx: Ctx, id_or_email: number | string): Promise<User> {
  const user = (await findNamed(ctx, typeof id_or_email === 'number' ? [id_or_email] : [id_or_email])).get(id_or_email);
  const visible = user && (await listVisibleUserIds(ctx));
  if (!user || user.is_system_bot || !visible || !(visible === 'all' || visible.has(user.id))) {
    failUnknown(`There is no user ${id_or_email}.`);
  }
  return user;
}
