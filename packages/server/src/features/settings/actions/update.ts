import { isAdministrator } from '../../../access/roles.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failInvalid } from '../../../core/errors.ts';
import type { EmailChangeLimiting, PasswordLimiting } from '../../../core/rate-limits.ts';
import type { Sealing } from '../../../core/sealing.ts';
import type { Transactions } from '../../../core/server.ts';
import { languages } from '../../realm/index.ts';
import { nameProblem, renameUser } from '../../user-admin/index.ts';
import { changeUserSettings, timezones, valueProblem } from '../../user-settings/index.ts';
import { requireLockedUser } from '../../users/index.ts';
import { prepareEmail, requestEmailChange } from './email.ts';
import { emitToOthers } from './emit-to-others.ts';
import { type NewPassword, preparePassword, setPassword } from './password.ts';

type SettingsParams = Params<'updateSettings'>;

interface Account {
  full_name: string | undefined;
  new_email: string | undefined;
  password: NewPassword | undefined;
}

/**
 * Changes the caller's own settings (specification 4.13): all of them or none. Passwords are verified before the
 * transaction, which would otherwise be open during that time.
 */
export async function updateSettings(
  ctx: Ctx<EmailChangeLimiting & PasswordLimiting & Sealing & Transactions>,
  params: SettingsParams,
): Promise<void> {
  const { full_name, email, old_password, new_password, ...settings } = params;
  const problem = valueProblem(settings, { languages, timezones }) ?? newNameProblem(ctx, full_name);
  if (problem !== undefined) failInvalid(problem);
  const password = await preparePassword(ctx, { old_password, new_password });
  const new_email = await prepareEmail(ctx, email);
  await ctx.server.inTransaction(ctx, async (inside) => {
    const me = await requireLockedUser(inside.db, inside.me);
    await changeAccount(inside, me, { full_name, new_email, password });
    const changes = await changeUserSettings(inside, me, settings);
    await emitToOthers(inside, me, changes);
  });
}

async function changeAccount(ctx: Ctx<Sealing>, me: User, { full_name, new_email, password }: Account): Promise<void> {
  if (password) await setPassword(ctx, password);
  if (full_name !== undefined && canRenameSelf(ctx)) await renameUser(ctx, me, full_name, ctx.me);
  if (new_email !== undefined) await requestEmailChange(ctx, me, new_email);
}

/** Where users cannot change names, a requested name is ignored without an error (docs/behaviour/settings.md#name). */
const canRenameSelf = ({ realm, me }: Ctx): boolean => !realm.settings.name_changes_disabled || isAdministrator(me);

function newNameProblem(ctx: Ctx, full_name: string | undefined): string | undefined {
  if (full_name === undefined || full_name.trim() === ctx.me.full_name || !canRenameSelf(ctx)) return undefined;
  return nameProblem(full_name);
}
