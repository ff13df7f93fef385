import type { PublicCtx, User } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import type { ApiKeys } from '../../../core/credentials.ts';
import { fail, failInvalid } from '../../../core/errors.ts';
import {
  type ExternalAuthentication,
  type IdentityDirectory,
  IdentityServiceUnavailable,
} from '../../../core/identity.ts';
import type { Logging } from '../../../core/log.ts';
import type { PasswordAttempt, PasswordLimiting } from '../../../core/rate-limits.ts';
import type { Transactions } from '../../../core/server.ts';
import {
  findLogin,
  getDirectoryFor,
  hasDirectory,
  hasPasswords,
  isEmail,
  isHashingBusy,
  isHuman,
  isKnownNetwork,
  type LoginRow,
  requireAttemptsLeft,
  runCountedAttempt,
  verifyPassword,
} from '../../auth/index.ts';
import { findOrCreateAccount } from './find-or-create-account.ts';

interface KeyRequest {
  readonly attempt: PasswordAttempt;
  readonly password: string;
  readonly login: LoginRow | undefined;
}

/**
 * Returns a user's API key for their email and password (docs/behaviour/auth.md#fetch-an-api-key, in the order given
 * there; the organization is checked before).
 */
export async function fetchApiKey(
  ctx: PublicCtx<ApiKeys & ExternalAuthentication & Logging & PasswordLimiting & Transactions>,
  params: Params<'fetchApiKey'>,
): Promise<Payload<'fetchApiKey'>> {
  const methods = ctx.realm.settings.authentication_methods;
  const username = params.username.trim();
  if (!isEmail(username) && !hasDirectory(methods)) failInvalid('username: an email address is needed.');
  const attempt = { purpose: 'login', realm_id: ctx.realm.id, username, network: ctx.network } as const;
  await requireAttemptsLeft(ctx, attempt, failTooMany);
  const login = await findLogin(ctx.db, ctx.realm.id, username);
  if (login && isHuman(login.user) && !login.user.is_active) failDeactivated();
  const directory = getDirectoryFor(ctx.server.identity, ctx.realm);
  if (!hasPasswords(methods) && !directory) {
    fail('PASSWORD_AUTH_DISABLED', 'Login with a password is disabled in this organization.');
  }
  const request = { attempt, password: params.password, login };
  const user = await runCountedAttempt(ctx, attempt, failTooMany, async () =>
    (await hasRightPassword(ctx, request)) ? login?.user : directory && verifyByDirectory(ctx, directory, request),
  );
  if (!user) return fail('AUTHENTICATION_FAILED', 'The user name or the password is wrong.');
  return { api_key: ctx.server.apiKeyOf(ctx.realm, user), email: user.delivery_email, user_id: user.id };
}

function failTooMany(wait: number): never {
  return fail('RATE_LIMIT_HIT', `Too many wrong passwords. Try again in ${Math.ceil(wait)} seconds.`, {
    'retry-after': wait,
  });
}

const failDeactivated = (): never => fail('USER_DEACTIVATED', 'This account has been deactivated.');

/** Whether this is the account's local password. Accounts that have one use it with or without a directory. */
async function hasRightPassword(ctx: PublicCtx, { attempt, login, password }: KeyRequest): Promise<boolean> {
  const here = hasPasswords(ctx.realm.settings.authentication_methods) && login && isHuman(login.user);
  return verifyPassword(here ? login.password_hash : null, password, await findLane(ctx, attempt));
}

/**
 * The lane in which the attempt waits to be checked. Clients of one network share a lane, whatever names they try; an
 * account that has logged in from the network before has a lane of its own.
 */
async function findLane(ctx: PublicCtx, attempt: PasswordAttempt): Promise<string> {
  const { realm_id, username, network } = attempt;
  if (!isHashingBusy() || !(await isKnownNetwork(ctx, attempt))) return `network:${network}`;
  return `login:${JSON.stringify([realm_id, username.toLowerCase(), network])}`;
}

async function verifyByDirectory(
  ctx: PublicCtx<Logging & PasswordLimiting & Transactions>,
  directory: IdentityDirectory,
  request: KeyRequest,
): Promise<User | undefined> {
  try {
    return await byDirectory(ctx, directory, request);
  } catch (error) {
    if (!(error instanceof IdentityServiceUnavailable)) throw error;
    ctx.server.log.warn({ reason: error.message }, 'the directory does not respond: run parley doctor');
    // The password was compared with the account's local one and was wrong, so it counts as a failed attempt.
    if (request.login?.password_hash) await ctx.server.limits.passwordFailed(request.attempt);
    return fail(
      'DIRECTORY_UNAVAILABLE',
      'The directory that knows the passwords of this organization does not respond. Try again in a minute.',
    );
  }
}

async function byDirectory(
  ctx: PublicCtx<PasswordLimiting & Transactions>,
  directory: IdentityDirectory,
  { attempt, password }: KeyRequest,
): Promise<User | undefined> {
  const { username } = attempt;
  // Both are rejected without a request to the directory: directories accept a name without a password, and an empty name
  // matches no user.
  if (password === '' || username === '') return undefined;
  const entry = await directory.find(username);
  if (!entry) return undefined;
  // A directory accepts many spellings of one name, so attempts are also counted by the account.
  const asEntry = { ...attempt, purpose: 'directory', username: entry.dn } as const;
  const accepted = await runCountedAttempt(ctx, asEntry, failTooMany, () => directory.verifyPassword(entry, password));
  if (!accepted) return undefined;
  const account = await findOrCreateAccount(ctx, entry, true);
  if (account.state === 'deactivated') failDeactivated();
  if (account.state === 'unknown') fail('AUTHENTICATION_FAILED', `You have no account here. ${account.problem}`);
  return account.state === 'good' ? account.user : undefined;
}
