import type { PublicCtx, User } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import { refuse } from '../../core/errors.ts';
import { isPasswordOf, oneByOne } from './passwords.ts';
import { findLogin, type Login } from './queries.ts';
import { hasDirectory, hasPasswords, isEmail } from './rules.ts';

/** Gives a person's API key for email and password (behaviour 4.12, in the order given there; the organization came first). */
export async function fetchApiKey(ctx: PublicCtx, params: Params<'fetchApiKey'>): Promise<Payload<'fetchApiKey'>> {
  const { realm } = ctx;
  const methods = realm.settings.authentication_methods;
  const username = params.username.trim().toLowerCase();
  if (!isEmail(username) && !hasDirectory(methods)) refuse('BAD_REQUEST', 'username: an email address is needed.');
  await checkAttempts(ctx, username);
  const login = await findLogin(ctx.db, realm.id, username);
  if (login && isPerson(login.user) && !login.user.is_active) {
    refuse('USER_DEACTIVATED', 'This account has been deactivated.');
  }
  if (!hasPasswords(methods)) refuse('PASSWORD_AUTH_DISABLED', 'Nobody logs in with a password in this organization.');
  const account = `${realm.id}:${username}`;
  const user = await oneByOne(account, () => attempt(ctx, username, params.password, login));
  return { api_key: ctx.server.apiKeyOf(user), email: user.delivery_email, user_id: user.id };
}

/** Checks the password and counts a failure. The count is looked at again: it may have grown while this one waited. */
async function attempt(ctx: PublicCtx, username: string, password: string, login: Login | undefined): Promise<User> {
  await checkAttempts(ctx, username);
  const own = login && isPerson(login.user) ? login.password_hash : null;
  const right = await isPasswordOf(own, password);
  if (!right || !login) {
    await ctx.server.limits.passwordFailed(ctx.realm.id, username);
    return refuse('AUTHENTICATION_FAILED', 'The user name or the password is wrong.');
  }
  await ctx.server.limits.passwordSucceeded(ctx.realm.id, username);
  return login.user;
}

async function checkAttempts(ctx: PublicCtx, username: string): Promise<void> {
  const wait = await ctx.server.limits.passwordWait(ctx.realm.id, username);
  if (wait <= 0) return;
  refuse('RATE_LIMIT_HIT', `Too many wrong passwords. Try again in ${Math.ceil(wait)} seconds.`, {
    'retry-after': wait,
  });
}

const isPerson = (user: User): boolean => user.bot_type === null;
