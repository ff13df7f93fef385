import type { PublicCtx, User } from '../../../core/context.ts';
import { ApiError } from '../../../core/errors.ts';
import { startOver } from '../../../core/transaction.ts';
import { audit } from '../../accounts/index.ts';
import { findOwnProofKind, hasJustSignedIn, isOwnPassword, type OwnProof } from '../../auth/index.ts';
import { writeLetter } from '../../mail/index.ts';
import { currentSettings } from '../../realm/index.ts';
import { listUsersByIds, requireLocked, tellAddresses } from '../../users/index.ts';
import { changedLetter } from '../letters.ts';
import {
  deleteEmailChange,
  type EmailChange,
  findAddressHolder,
  findEmailChange,
  updateEmail,
} from '../queries/email.ts';
import { addressProblem, hashOf } from './email.ts';

/**
 * What a link is good for: an address, once the user has shown that the account is theirs; or nothing, because it is void or
 * another account has the address.
 */
export type Confirmation =
  | { state: 'good' | 'taken'; new_email: string }
  | { state: 'asks'; new_email: string; proof: Exclude<OwnProof, 'none'>; problem?: string }
  | { state: 'void' };

const VOID = { state: 'void' } as const;

/** What a link is good for. Looking at it changes nothing: programs that look for bad links open it, too. */
export async function lookAtEmailChange(ctx: PublicCtx, token: string): Promise<Confirmation> {
  const found = await findOpenChange(ctx, token);
  if (!found) return VOID;
  const { new_email } = found.change;
  const proof = await neededProof(ctx, found);
  if (proof === 'none') return { state: 'good', new_email };
  return { state: 'asks', new_email, proof };
}

interface OpenChange {
  readonly change: EmailChange;
  readonly user: User;
}

async function findOpenChange(ctx: PublicCtx, token: string): Promise<OpenChange | undefined> {
  const change = ctx.realm.deactivated ? undefined : await findEmailChange(ctx.db, ctx.realm.id, hashOf(token));
  if (!change || change.expires_at <= ctx.now) return undefined;
  const [user] = await listUsersByIds(ctx.db, ctx.realm.id, [change.user_id]);
  return user && { change, user };
}

/** What the user has to show now. An API key alone, which may be stolen, does not take over an account. */
async function neededProof(ctx: PublicCtx, { change, user }: OpenChange): Promise<OwnProof> {
  if (change.is_proven) return 'none';
  const proof = await findOwnProofKind(ctx, user);
  return proof === 'sign_in' && (await hasJustSignedIn(ctx, user)) ? 'none' : proof;
}

/**
 * Gives the account the address that was wished for, once, if the organization still lets it. Opens its own transaction: a
 * password takes long to check.
 */
export async function confirmEmailChange(ctx: PublicCtx, token: string, password = ''): Promise<Confirmation> {
  const found = await findOpenChange(ctx, token);
  if (!found) return VOID;
  const proof = await neededProof(ctx, found);
  if (proof !== 'none') {
    const problem = proof === 'password' ? await passwordProblemOf(ctx, found.user, password) : '';
    if (problem !== undefined) return { state: 'asks', new_email: found.change.new_email, proof, problem };
  }
  return ctx.server.inTransaction(ctx, (inside) => applyChange(inside, token));
}

async function passwordProblemOf(ctx: PublicCtx, user: User, password: string): Promise<string | undefined> {
  try {
    return (await isOwnPassword(ctx, user, password)) ? undefined : 'This is not your password.';
  } catch (error) {
    if (error instanceof ApiError && error.code === 'BAD_REQUEST') return 'Too many wrong passwords. Try again later.';
    throw error;
  }
}

async function applyChange(ctx: PublicCtx, token: string): Promise<Confirmation> {
  const change = (await findOpenChange(ctx, token))?.change;
  if (!change) return VOID;
  const before = await requireLocked(ctx.db, { realm_id: ctx.realm.id, id: change.user_id });
  if (!(await deleteEmailChange(ctx.db, change)) || !before.is_active) return VOID;
  const { new_email } = change;
  if (addressProblem(new_email, before, await currentSettings(ctx.db, ctx.realm.id))) return VOID;
  if (await findAddressHolder(ctx.db, before, new_email)) return { state: 'taken', new_email };
  if (!(await updateEmail(ctx.db, before, new_email))) startOver('somebody took the address');
  await tellAddresses(ctx, before, { ...before, delivery_email: new_email });
  await writeLetter(ctx, { to: before.delivery_email, ...changedLetter(ctx.realm, before, new_email) });
  await audit(ctx, before, 'email changed', { user_id: before.id });
  return { state: 'good', new_email };
}
