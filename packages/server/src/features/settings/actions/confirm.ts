import type { PublicCtx } from '../../../core/context.ts';
import type { Sealing } from '../../../core/sealing.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { queueEmail } from '../../mail/index.ts';
import { findCurrentSettings } from '../../realm/index.ts';
import { audit } from '../../user-admin/index.ts';
import { emitAddressChanges, requireLockedUser } from '../../users/index.ts';
import { renderAddressChangedEmail } from '../emails.ts';
import { deleteEmailChange, type EmailChange, findEmailChange, isAddressTaken, updateEmail } from '../queries/email.ts';
import { addressProblem, hashToken } from './email.ts';

/** The state of a link: valid, expired, or valid for an address that another account has taken. */
export type Confirmation = { state: 'good' | 'taken'; new_email: string } | { state: 'void' };

const VOID = { state: 'void' } as const;

/** The state of a link. Reading it changes nothing: programs that scan emails open links, too. */
export async function getEmailChange(ctx: PublicCtx, token: string): Promise<Confirmation> {
  const change = await findOpenChange(ctx, token);
  return change ? { state: 'good', new_email: change.new_email } : VOID;
}

async function findOpenChange(ctx: PublicCtx, token: string): Promise<EmailChange | undefined> {
  const change = ctx.realm.deactivated ? undefined : await findEmailChange(ctx.db, ctx.realm.id, hashToken(token));
  return change && change.expires_at > ctx.now ? change : undefined;
}

/** Gives the account the address that was wished for, once, if the organization still lets it. */
export async function confirmEmailChange(ctx: PublicCtx<Sealing>, token: string): Promise<Confirmation> {
  const change = await findOpenChange(ctx, token);
  if (!change) return VOID;
  const before = await requireLockedUser(ctx.db, { realm_id: ctx.realm.id, id: change.user_id });
  if (!(await deleteEmailChange(ctx.db, change)) || !before.is_active) return VOID;
  const { new_email } = change;
  if (addressProblem(new_email, before, await findCurrentSettings(ctx.db, ctx.realm.id))) return VOID;
  if (await isAddressTaken(ctx.db, before, new_email)) return { state: 'taken', new_email };
  if (!(await updateEmail(ctx.db, before, new_email))) abortAndRetry('another account took the address');
  await emitAddressChanges(ctx, before, { ...before, delivery_email: new_email });
  await queueEmail(ctx, { to: before.delivery_email, ...renderAddressChangedEmail(ctx.realm, before, new_email) });
  await audit(ctx, before, 'email changed', { user_id: before.id });
  return { state: 'good', new_email };
}
