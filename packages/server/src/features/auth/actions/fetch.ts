import type { Ctx, PublicCtx, User } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import { refuse } from '../../core/errors.ts';
import { checkAttempts, isRightPassword } from './attempts.ts';
import { findLogin, findPasswordHash } from './queries.ts';
import { hasDirectory, hasPasswords, isEmail } from './rules.ts';

/** Gives a person's API key for email and password (behaviour 4.12, in the order given there; the organization came first). */
export async function fetchApiKey(ctx: PublicCtx, params: Params<'fetchApiKey'>): Promise<Payload<'fetchApiKey'>> {
  const { realm } = ctx;
  const methods = realm.settings.authentication_methods;
  const username = params.username.trim().toLowerCase();
  if (!isEmail(username) && !hasDirectory(methods)) refuse('BAD_REQUEST', 'username: an email address is needed.');
  await checkAttempts(ctx, username, tooOften);
  const login = await findLogin(ctx.db, realm.id, username);
  if (login && isPerson(login.user) && !login.user.is_active) {
    refuse('USER_DEACTIVATED', 'This account has been deactivated.');
  }
  if (!hasPasswords(methods)) refuse('PASSWORD_AUTH_DISABLED', 'Nobody logs in with a password in this organization.');
  const password_hash = login && isPerson(login.user) ? login.password_hash : null;
  const right = await isRightPassword(ctx, { username, password: params.password, password_hash }, tooOften);
  if (!right || !login) refuse('AUTHENTICATION_FAILED', 'The user name or the password is wrong.');
  const { user } = login;
  return { api_key: ctx.server.apiKeyOf(user), email: user.delivery_email, user_id: user.id };
}

function tooOften(wait: number): never {
  return refuse('RATE_LIMIT_HIT', `Too many wrong passwords. Try again in ${Math.ceil(wait)} seconds.`, {
    'retry-after': wait,
  });
}

const isPerson = (user: User): boolean => user.bot_type === null;

/** Checks the password that somebody who is logged in says is theirs, and gives the hash that it has. */
export async function requireOwnPassword(ctx: Ctx, old_password: string | undefined): Promise<string> {
  if (!hasPasswords(ctx.realm.settings.authentication_methods)) {
    refuse('BAD_REQUEST', 'new_password: nobody logs in with a password in this organization.');
  }
  if (old_password === undefined) refuse('BAD_REQUEST', 'old_password: it is needed to set a new one.');
  const username = ctx.me.delivery_email.toLowerCase();
  const password_hash = await findPasswordHash(ctx.db, ctx.me);
  const right = await isRightPassword(ctx, { username, password: old_password, password_hash }, (wait) =>
    refuse('BAD_REQUEST', `old_password: too many wrong ones. Try again in ${Math.ceil(wait)} seconds.`),
  );
  return right && password_hash !== null ? password_hash : notTheirs();
}

export const notTheirs = (): never => refuse('BAD_REQUEST', 'old_password: this is not your password.');
