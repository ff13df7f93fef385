import type { Ctx } from '../../../core/context.ts';
import { failInvalid } from '../../../core/errors.ts';
import type { PasswordLimiting } from '../../../core/rate-limits.ts';
import {
  failWrongPassword,
  hashPassword,
  passwordProblem,
  requireOwnPassword,
  updatePasswordHash,
} from '../../auth/index.ts';
import { audit } from '../../user-admin/index.ts';

/** A validated password change: the hash of the old password, which was verified, and that of the new one. */
export interface NewPassword {
  readonly from: string;
  readonly to: string;
}

interface PasswordChange {
  old_password: string | undefined;
  new_password: string | undefined;
}

/** Verifies the old password and the new one. Without a new one there is nothing to do, whatever the old. */
export async function preparePassword(
  ctx: Ctx<PasswordLimiting>,
  { old_password, new_password }: PasswordChange,
): Promise<NewPassword | undefined> {
  if (new_password === undefined) return undefined;
  const weak = passwordProblem(new_password, [ctx.me.delivery_email, ctx.me.full_name]);
  if (weak !== undefined) failInvalid(`new_password: ${weak}`);
  const from = await requireOwnPassword(ctx, old_password);
  return { from, to: await hashPassword(new_password, `account:${ctx.realm.id}:${ctx.me.id}`) };
}

/** Of two concurrent requests with the same old password the second fails: it is no longer the old password. */
export async function setPassword(ctx: Ctx, password: NewPassword): Promise<void> {
  if (!(await updatePasswordHash(ctx.db, ctx.me, password))) failWrongPassword();
  await audit(ctx, ctx.me, 'password changed', { user_id: ctx.me.id });
}
