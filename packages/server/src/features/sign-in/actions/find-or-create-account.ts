import { ROLE } from '../../../access/roles.ts';
import type { PublicCtx, User } from '../../../core/context.ts';
import { ApiError } from '../../../core/errors.ts';
import type { VerifiedIdentity } from '../../../core/identity.ts';
import type { Transactions } from '../../../core/server.ts';
import { findLogin, isHuman, isOneAddress, listNameCandidates } from '../../auth/index.ts';
import { createUser, domainProblem, nameProblem } from '../../user-admin/index.ts';

/** The account of a verified address, or why there is none. */
export type AccountLookup =
  | { readonly state: 'good'; readonly user: User }
  | { readonly state: 'deactivated' | 'bot' }
  /** Without an account, and why none is made: a sentence for people. None if it was only not asked for. */
  | { readonly state: 'unknown'; readonly email: string; readonly problem: string | undefined };

/** The account with a verified address; with `joins` a new one, where users may join without an invitation. */
export async function findOrCreateAccount(
  ctx: PublicCtx<Transactions>,
  proven: VerifiedIdentity,
  joins: boolean,
): Promise<AccountLookup> {
  const email = proven.email.trim();
  if (!isOneAddress(email)) return { state: 'unknown', email, problem: 'Your address is none that can be used here.' };
  const known = await lookUpAccount(ctx, email);
  if (known) return known;
  const problem = joinProblem(ctx, email);
  if (problem !== undefined || !joins) return { state: 'unknown', email, problem };
  const full_name = listNameCandidates(proven).find((name) => nameProblem(name) === undefined) ?? 'New person';
  try {
    const wanted = { email, full_name, role: ROLE.member };
    return { state: 'good', user: await ctx.server.inTransaction(ctx, (inside) => createUser(inside, wanted)) };
  } catch (error) {
    // The same person, who pressed the button twice, may have been quicker.
    const quicker = error instanceof ApiError ? await lookUpAccount(ctx, email) : undefined;
    if (quicker) return quicker;
    throw error;
  }
}

async function lookUpAccount({ db, realm }: PublicCtx, email: string): Promise<AccountLookup | undefined> {
  const user = (await findLogin(db, realm.id, email))?.user;
  if (!user) return undefined;
  if (!isHuman(user)) return { state: 'bot' };
  return user.is_active ? { state: 'good', user } : { state: 'deactivated' };
}

/** Why a user with this address cannot join without an invitation, if they cannot. */
function joinProblem({ realm }: PublicCtx, email: string): string | undefined {
  const { settings } = realm;
  if (settings.invite_required) return 'New people join by invitation only: ask an administrator to make an account.';
  if (domainProblem(email, settings) === undefined) return undefined;
  return 'This organization does not take addresses such as yours.';
}
