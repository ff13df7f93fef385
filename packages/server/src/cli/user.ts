import { randomBytes } from 'node:crypto';
import { ROLE } from '../access/roles.ts';
import type { PublicCtx, User } from '../core/context.ts';
import { failInvalid, failUnknown } from '../core/errors.ts';
import type { Server } from '../core/server.ts';
import {
  changeRole,
  createUser,
  deactivateUser,
  reactivateUser,
  resetPassword,
  rotateKey,
  updateCanCreateUsers,
} from '../features/user-admin/index.ts';
import { listUsers, listUsersByIds } from '../features/users/index.ts';
import { columns } from './columns.ts';
import { type RoleName, roleNames } from './commands/user.ts';
import { requireRealm, runInRealm } from './run-in-realm.ts';
import type { CommandContext, CommandHandler, CommandResult } from './types.ts';

const roles = {
  owner: ROLE.owner,
  admin: ROLE.administrator,
  moderator: ROLE.moderator,
  member: ROLE.member,
  guest: ROLE.guest,
} as const satisfies Record<RoleName, number>;
const GENERIC_BOT = 1;

interface Of {
  realm: string;
  id: number;
}

interface Create {
  realm: string;
  email: string;
  full_name: string;
  role: RoleName;
  password?: string;
  bot_owner?: number;
}

async function requireUser(ctx: Pick<PublicCtx, 'db' | 'realm'>, id: number): Promise<User> {
  const [user] = await listUsersByIds(ctx.db, ctx.realm.id, [id]);
  return user ?? failUnknown(`There is no user ${id}.`);
}

async function requireBotOwner(ctx: PublicCtx<Server>, id: number): Promise<User> {
  const owner = await requireUser(ctx, id);
  if (owner.bot_type !== null || !owner.is_active)
    failInvalid(`User ${id} cannot own a bot: only active human users can.`);
  return owner;
}

const factsOf = (user: User) => ({
  user_id: user.id,
  email: user.delivery_email,
  full_name: user.full_name,
  role: roleNames.find((name) => roles[name] === user.role) ?? String(user.role),
  is_active: user.is_active,
  is_bot: user.bot_type !== null,
  bot_owner_id: user.bot_owner_id,
  can_create_users: user.can_create_users,
  date_joined: user.date_joined.toISOString(),
});

const create: CommandHandler<Create> = async ({ app }, { realm, email, full_name, role, password, bot_owner }) => {
  const { user, api_key } = await runInRealm(app, realm, async (ctx) => {
    const bot =
      bot_owner === undefined ? undefined : { type: GENERIC_BOT, owner_id: (await requireBotOwner(ctx, bot_owner)).id };
    const newUser = {
      email,
      full_name,
      role: roles[role],
      ...(password !== undefined && { password }),
      ...(bot && { bot }),
    };
    const user = await createUser(ctx, newUser);
    return { user, api_key: ctx.server.apiKeyOf(ctx.realm, user) };
  });
  return {
    json: { user_id: user.id, email: user.delivery_email, api_key },
    lines: [`User ${user.id}: ${user.delivery_email}, API key ${api_key}`],
  };
};

const list: CommandHandler<{ realm: string }> = async ({ app }, { realm }) => {
  const { id } = await requireRealm(app, realm);
  const users = (await listUsers(app.database.db, id)).map(factsOf);
  const rows = users.map((one) => [
    one.user_id,
    one.email,
    one.full_name,
    one.is_bot ? 'bot' : one.role,
    one.is_active ? 'active' : 'deactivated',
  ]);
  return { json: users, lines: columns([['id', 'email', 'name', 'role', 'state'], ...rows]) };
};

const show: CommandHandler<Of> = async ({ app }, { realm, id }) => {
  const user = await requireUser({ db: app.database.db, realm: await requireRealm(app, realm) }, id);
  const facts = factsOf(user);
  return { json: facts, lines: columns(Object.entries(facts).map(([name, value]) => [name, JSON.stringify(value)])) };
};

/** A change of one account; the result shows the account after the change. */
function change<Input extends Of>(
  work: (ctx: PublicCtx<Server>, input: Input) => Promise<unknown>,
): CommandHandler<Input> {
  return async ({ app }: CommandContext, input): Promise<CommandResult> => {
    const user = await runInRealm(app, input.realm, async (ctx) => {
      await work(ctx, input);
      return requireUser(ctx, input.id);
    });
    const facts = factsOf(user);
    const state = facts.is_active ? 'active' : 'deactivated';
    const permission = facts.can_create_users ? ', can create users' : '';
    return { json: facts, lines: [`User ${user.id} (${user.delivery_email}): ${facts.role}, ${state}${permission}.`] };
  };
}

const reset: CommandHandler<Of & { password: string | undefined }> = async ({ app }, { realm, id, password }) => {
  const fresh = password ?? randomBytes(18).toString('base64url');
  await runInRealm(app, realm, (ctx) => resetPassword(ctx, id, fresh));
  const newPassword = password === undefined ? { password: fresh } : {};
  return {
    json: { user_id: id, ...newPassword },
    lines: [
      password === undefined ? `The new password of user ${id} is ${fresh}` : `The password of user ${id} is changed.`,
    ],
  };
};

const rotate: CommandHandler<Of> = async ({ app }, { realm, id }) => {
  const api_key = await runInRealm(app, realm, (ctx) => rotateKey(ctx, id));
  return { json: { user_id: id, api_key }, lines: [`The API key of user ${id} is now ${api_key}`] };
};

export const userWorks = {
  'user create': create,
  'user list': list,
  'user show': show,
  'user set-role': change<Of & { role: RoleName }>((ctx, { id, role }) => changeRole(ctx, id, roles[role])),
  'user deactivate': change<Of>((ctx, { id }) => deactivateUser(ctx, id)),
  'user reactivate': change<Of>((ctx, { id }) => reactivateUser(ctx, id)),
  'user grant': change<Of>((ctx, { id }) => updateCanCreateUsers(ctx, id, true)),
  'user revoke': change<Of>((ctx, { id }) => updateCanCreateUsers(ctx, id, false)),
  'user reset-password': reset,
  'user rotate-key': rotate,
};
