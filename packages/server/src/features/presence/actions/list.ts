import type { Ctx } from '../../../core/context.ts';
import type { Payload, Schema } from '../../../core/contract.ts';
import { refuse } from '../../../core/errors.ts';
import { apiEmailOf, requireUser, visibleUserIds } from '../../users/index.ts';
import { presentPresence, presentSlim, serverTimestamp } from '../present.ts';
import { listPresences } from '../queries.ts';

export async function getUserPresence(ctx: Ctx, id_or_email: number | string): Promise<Payload<'getUserPresence'>> {
  const user = await requireUser(ctx, id_or_email);
  if (user.bot_type !== null) refuse('BAD_REQUEST', `The user ${id_or_email} is a bot, and bots have no presence.`);
  const [found] = await listPresences(ctx.db, ctx.realm.id, [user.id]);
  if (!found) return refuse('BAD_REQUEST', `The presence of user ${id_or_email} is not known.`);
  return { presence: presentPresence(found.presence) };
}

export async function getPresences(ctx: Ctx): Promise<Payload<'getPresences'>> {
  const found = await visiblePresences(ctx);
  const presences = Object.fromEntries(
    found.map(({ presence, ...user }) => [apiEmailOf(ctx.realm, user), presentPresence(presence)]),
  );
  return { presences, server_timestamp: serverTimestamp(ctx.now) };
}

/** The part of `POST /register` about presence: that of the people whom the caller sees. */
export async function presenceState(
  ctx: Ctx,
  { slim_presence }: { slim_presence: boolean },
): Promise<Required<Pick<Schema<'State'>, 'presences' | 'server_timestamp'>>> {
  if (!slim_presence) return getPresences(ctx);
  const found = await visiblePresences(ctx);
  const presences = Object.fromEntries(found.map(({ id, presence }) => [id, presentSlim(presence)]));
  return { presences, server_timestamp: serverTimestamp(ctx.now) };
}

async function visiblePresences(ctx: Ctx) {
  const visible = await visibleUserIds(ctx);
  return listPresences(ctx.db, ctx.realm.id, visible === 'all' ? undefined : [...visible]);
}
