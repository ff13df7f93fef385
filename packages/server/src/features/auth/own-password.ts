import type { Ctx, PublicCtx, User } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { Unavailable } from '../../core/identity.ts';
import { bounds } from '../../core/limits.ts';
import { checkAttempts, withAttemptCounted } from './attempts.ts';
import { isPasswordOf } from './passwords.ts';
import { findOwnProof } from './queries.ts';
import { directoryFor, hasPasswords, providersFor } from './rules.ts';

/** Checks the password that a logged-in user says is theirs, and returns the hash that it has. */
export async function requireOwnPassword(ctx: Ctx, old_password: string | undefined): Promise<string> {
  if (!hasPasswords(ctx.realm.settings.authentication_methods)) {
    refuse('BAD_REQUEST', 'new_password: nobody logs in with a password in this organization.');
  }
  if (old_password === undefined) refuse('BAD_REQUEST', 'old_password: it is needed to set a new one.');
  const { password_hash } = await findOwnProof(ctx.db, ctx.me);
  const right = await withOwnAttemptCounted(ctx, ctx.me, (lane) => isPasswordOf(password_hash, old_password, lane));
  return right && password_hash !== null ? password_hash : notTheirs();
}

export const notTheirs = (): never => refuse('BAD_REQUEST', 'old_password: this is not your password.');

/** Counts of its own: guesses of strangers at the login do not keep the owner of an account from a new password. */
async function withOwnAttemptCounted(
  ctx: PublicCtx,
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
  check: (lane: string) => Promise<boolean>,
): Promise<boolean> {
  const failTooMany = (wait: number): never =>
    refuse('BAD_REQUEST', `old_password: too many wrong ones. Try again in ${Math.ceil(wait)} seconds.`);
  const attempt = { purpose: 'old_password', realm_id, username: String(id), network: '' } as const;
  await checkAttempts(ctx, attempt, failTooMany);
  return withAttemptCounted(ctx, attempt, failTooMany, () => check(`account:${realm_id}:${id}`));
}

/** How a user shows that an account is theirs, besides its API key: not at all where nothing else is known of it. */
export type OwnProof = 'password' | 'sign_in' | 'none';

export async function findOwnProofKind(ctx: PublicCtx, user: User): Promise<OwnProof> {
  const { password_hash } = await findOwnProof(ctx.db, user);
  if (hasPasswords(ctx.realm.settings.authentication_methods) && password_hash !== null) return 'password';
  if (directoryFor(ctx.server.identity, ctx.realm)) return 'password';
  return providersFor(ctx.server.identity, ctx.realm).length > 0 ? 'sign_in' : 'none';
}

/** Whether the password is the user's: the one of the account here, or else the one that the directory knows. */
export async function isOwnPassword(ctx: PublicCtx, user: User, password: string): Promise<boolean> {
  const { password_hash } = await findOwnProof(ctx.db, user);
  const hash = hasPasswords(ctx.realm.settings.authentication_methods) ? password_hash : null;
  return withOwnAttemptCounted(ctx, user, async (lane) => {
    if (hash !== null) return isPasswordOf(hash, password, lane);
    const directory = directoryFor(ctx.server.identity, ctx.realm);
    const entry = password === '' ? undefined : await directory?.find(user.delivery_email).catch(unlessUnavailable);
    return directory !== undefined && entry !== undefined && directory.accepts(entry, password);
  });
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error;
  return undefined;
}

/** Whether the user has logged in by single sign-on within the last minutes. */
export async function hasJustSignedIn(ctx: PublicCtx, user: User): Promise<boolean> {
  const { signed_in_at } = await findOwnProof(ctx.db, user);
  return signed_in_at !== null && ctx.now.getTime() - signed_in_at.getTime() <= bounds.sign_in;
}
