import { ROLE } from '../../access/roles.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx, User } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import type { ApiKeys } from '../../core/credentials.ts';
import { failForbidden, failInvalid, failUnknown } from '../../core/errors.ts';
import type { PollEnding } from '../../core/polls.ts';
import { requireRoom } from '../../core/require-room.ts';
import type { Sealing } from '../../core/sealing.ts';
import { listBotsOf, presentBot } from '../bots/index.ts';
import {
  changeBotOwner,
  createUser,
  deactivateUser,
  lockAccount,
  nameProblem,
  renameUser,
  rotateKey,
} from '../user-admin/index.ts';
import { requireUser } from '../users/index.ts';
import { canCreateBot, canManageBot, canOwnBot, shortNameProblem } from './rules.ts';

export async function getBots(ctx: Ctx<ApiKeys>): Promise<Payload<'getBots'>> {
  const bots = await listBotsOf(ctx);
  const keyOf = (bot: User) => (bot.bot_owner_id === ctx.me.id ? { api_key: ctx.server.apiKeyOf(ctx.realm, bot) } : {});
  return { bots: bots.map((bot) => ({ ...presentBot(bot), ...keyOf(bot) })) };
}

export async function createBot(
  ctx: Ctx<ApiKeys & CollectionLimiting>,
  params: Params<'createBot'>,
): Promise<Payload<'createBot'>> {
  // A user who is being deactivated at this moment must not leave a bot behind.
  const { actor = ctx.me } = await lockAccount(ctx, ctx.me.id, ctx.me);
  if (!canCreateBot(ctx.realm.settings.bot_creation_policy, actor, params.bot_type))
    failForbidden('This organization does not let you create bots of this type.');
  const short_name = params.short_name.trim();
  const problem = shortNameProblem(short_name);
  if (problem !== undefined) failInvalid(problem);
  await requireRoom(ctx, 'bots', 1);
  await requireRoom(ctx, 'new_bots', 1);
  const bot = await createUser(
    ctx,
    {
      email: `${short_name}-bot@${ctx.realm.host}`,
      full_name: params.full_name,
      role: ROLE.member,
      bot: { type: params.bot_type, owner_id: actor.id },
    },
    ctx.me,
  );
  return { user_id: bot.id, email: bot.delivery_email, api_key: ctx.server.apiKeyOf(ctx.realm, bot) };
}

export async function updateBot(ctx: Ctx<CollectionLimiting>, params: Params<'updateBot'>): Promise<void> {
  const { bot_id, full_name, bot_owner_id } = params;
  const bot = await requireOwnBot(ctx, bot_id);
  const problem = full_name === undefined ? undefined : nameProblem(full_name);
  if (problem !== undefined) failInvalid(problem);
  if (full_name !== undefined) await renameUser(ctx, bot, full_name, ctx.me);
  if (bot_owner_id === undefined || bot_owner_id === bot.bot_owner_id) return;
  await requireUser(ctx, bot_owner_id);
  const { user: owner } = await lockAccount(ctx, bot_owner_id, ctx.me);
  if (!canOwnBot(owner)) failInvalid(`bot_owner_id: user ${bot_owner_id} cannot own a bot.`);
  if (bot.is_active) await requireRoom(ctx, 'bots', 1, { user_id: owner.id });
  await changeBotOwner(ctx, { ...bot, full_name: full_name?.trim() ?? bot.full_name }, owner.id, ctx.me);
}

export async function deactivateBot(ctx: Ctx<PollEnding & Sealing>, bot_id: number): Promise<void> {
  await requireOwnBot(ctx, bot_id);
  await deactivateUser(ctx, bot_id, ctx.me);
}

export async function regenerateKey(
  ctx: Ctx<ApiKeys & PollEnding>,
  bot_id: number,
): Promise<Payload<'regenerateBotApiKey'>> {
  await requireOwnBot(ctx, bot_id);
  return { api_key: await rotateKey(ctx, bot_id, ctx.me) };
}

/** Locks and returns the bot, if the caller can manage it. */
async function requireOwnBot(ctx: Ctx, bot_id: number): Promise<User> {
  const seen = await requireUser(ctx, bot_id);
  if (seen.bot_type === null) failUnknown(`There is no bot ${bot_id}.`);
  const { user: bot, actor = ctx.me } = await lockAccount(ctx, bot_id, ctx.me);
  if (!canManageBot(actor, bot)) failForbidden(`Only its owner and administrators change bot ${bot_id}.`);
  return bot;
}
