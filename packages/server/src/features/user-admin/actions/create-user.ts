import type { PublicCtx, User } from '../../../core/context.ts';
import { failConflict, failInvalid } from '../../../core/errors.ts';
import { hashPassword, passwordProblem } from '../../auth/index.ts';
import { emitBotAdded } from '../../bots/index.ts';
import { emitUserAdded, withGuestVisibilityEvents } from '../../guest-visibility/index.ts';
import { sendAsNotificationBot } from '../../messages/index.ts';
import { withLockedSettings } from '../../realm/index.ts';
import { findStreamById } from '../../streams/index.ts';
import { subscribeNewUser } from '../../subscriptions/index.ts';
import { joinRoleGroups } from '../../user-groups/index.ts';
import { getNewUserSettings, insertNewUserSettings } from '../../user-settings/index.ts';
import { audit } from '../audit.ts';
import { domainProblem } from '../domains.ts';
import { insertUser, isEmailTaken } from '../queries.ts';
import { emailProblem, nameProblem } from '../rules.ts';

/** The topic of the notices about new users. */
const SIGNUPS = 'signups';

export interface NewUser {
  email: string;
  full_name: string;
  role: number;
  /** Absent: the account has no password (bots, and users created in bulk). */
  password?: string;
  bot?: { type: number; owner_id: number | null };
}

type FirstSettings = Awaited<ReturnType<typeof getNewUserSettings>>;

/**
 * Creates an account with its role groups and default streams with their recent history, and emits it to all users
 * (docs/behaviour/users.md#create-a-user).
 */
export async function createUser(callerCtx: PublicCtx, newUser: NewUser, actor?: User): Promise<User> {
  const email = newUser.email.trim();
  const full_name = newUser.full_name.trim();
  // The operator, who acts without an account, is not subject to the organization's rules for email addresses.
  const rules = actor && !newUser.bot ? callerCtx.realm.settings : undefined;
  const problem = nameProblem(full_name) ?? emailProblem(email) ?? (rules && domainProblem(email, rules));
  if (problem !== undefined) failInvalid(problem);
  const password_hash = await hashFirstPassword(callerCtx, { ...newUser, email, full_name });
  const ctx = await withLockedSettings(callerCtx);
  const first = newUser.bot ? {} : await getNewUserSettings(ctx);
  const user = await insertAccount(ctx, { ...newUser, email, full_name, password_hash }, first);
  await emitUserAdded(ctx, user);
  await insertNewUserSettings(ctx, user, first);
  await joinRoleGroups(ctx, user);
  if (user.bot_type !== null) emitBotAdded(ctx, user);
  await withGuestVisibilityEvents(ctx, () => subscribeNewUser(ctx, user));
  await announceSignup(ctx, user);
  await audit(ctx, actor, 'user created', { user_id: user.id, role: user.role });
  return user;
}

/** The notice in the stream that the organization chose for it, if it chose one that still exists. */
async function announceSignup(ctx: PublicCtx, user: User): Promise<void> {
  const stream_id = ctx.realm.settings.signup_notifications_stream_id;
  if (user.bot_type !== null || stream_id === -1) return;
  if (!(await findStreamById({ db: ctx.db, realm: ctx.realm, me: user }, stream_id))) return;
  const content = `@_**${user.full_name}|${user.id}** has joined this organization.`;
  await sendAsNotificationBot(ctx, { stream_id, topic: SIGNUPS, content });
}

/** The email of a bot is made of its short name. */
const takenMessage = (email: string, bot?: object): string =>
  `${bot ? 'short_name' : 'email'}: ${email} is already in use in this organization.`;

/** Hashes the password, if there is one. Hashing is slow, so the check that the address is free comes first. */
async function hashFirstPassword(ctx: PublicCtx, { email, full_name, password }: NewUser): Promise<string | null> {
  if (password === undefined) return null;
  if (await isEmailTaken(ctx.db, ctx.realm.id, email.toLowerCase())) failConflict(takenMessage(email));
  const weak = passwordProblem(password, [email, full_name]);
  if (weak !== undefined) failInvalid(`password: ${weak}`);
  return hashPassword(password);
}

async function insertAccount(
  ctx: PublicCtx,
  { email, full_name, role, password_hash, bot }: NewUser & { password_hash: string | null },
  { timezone, email_address_visibility }: FirstSettings,
): Promise<User> {
  const user = await insertUser(ctx.db, {
    realm_id: ctx.realm.id,
    delivery_email: email,
    email_key: email.toLowerCase(),
    full_name,
    role,
    timezone,
    email_address_visibility,
    date_joined: ctx.now,
    password_hash,
    ...(bot && { bot_type: bot.type, bot_owner_id: bot.owner_id }),
  });
  return user ?? failConflict(takenMessage(email, bot));
}
