import { ROLE } from '../../../access/roles.ts';
import type { PublicCtx, User } from '../../../core/context.ts';
import { ApiError } from '../../../core/errors.ts';
import type { VerifiedIdentity } from '../../../core/identity.ts';
import type { Transactions } from '../../../core/server.ts';
import { findLogin, isHuman, isOneAddress, listNameCandidates } from '../../auth/index.ts';
import { createUser, domainProblem, nameProblem } from '../../user-admin/index.ts';

/** The account of a verified address, or the reason why there is none. */
export type AccountLookup =
  | { readonly state: 'good'; readonly user: User }
  | { readonly state: 'deactivated' | 'bot' }
  /**
   * No account, and the reason why none was created, as a sentence for users. Undefined if creation was not requested.
   */
  | { readonly state: 'unknown'; readonly email: string; readonly problem: string | undefined };

/** Finds the account with a verified address; with `joins` creates one, where users can join without an invitation. */
export async function findOrCreateAccount(
  ctx: PublicCtx<Transactions>,
  proven: VerifiedIdentity,
  joins: boolean,
): Promise<AccountLookup> {
  const email = proven.email.trim();
  if (!isOneAddress(email)) return { state: 'unknown', email, problem: 'Your email address cannot be used here.' };
  const known = await lookUpAccount(ctx, email);
  if (known) return known;
  const problem = joinProblem(ctx, email);
  if (problem !== undefined || !joins) return { state: 'unknown', email, problem };
  const full_name = listNameCandidates(proven).find((name) => nameProblem(name) === undefined) ?? 'New user';
  try {
    const newUser = { email, full_name, role: ROLE.member };
    return { state: 'good', user: await ctx.server.inTransaction(ctx, (inside) => createUser(inside, newUser)) };
  } catch (error) {
    // The same user may have submitted twice: the other request may have created the account first.
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

/** The reason why a user with this address cannot join without an invitation, if there is one. */
function joinProblem({ realm }: PublicCtx, email: string): string | undefined {
  const { settings } = realm;
  if (settings.invite_required) return 'New users join by invitation only: ask an administrator to create an account.';
  if (domainProblem(email, settings) === undefined) return undefined;
  return 'This organization does not accept email addresses such as yours.';
}
