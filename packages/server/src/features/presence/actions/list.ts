import type { Ctx } from '../../../core/context.ts';
import type { Payload } from '../../../core/contract.ts';
import { failInvalid, failUnknown } from '../../../core/errors.ts';
import { stateQuery } from '../../../core/state-query.ts';
import { getApiEmail, listVisibleUserIds, requireUser } from '../../users/index.ts';
import { presentPresence, presentSlim, serverTimestamp } from '../present.ts';
import { type JsonPresence, jsonPresences, listPresences, toUserPresence, type UserPresence } from '../queries.ts';

export async function getUserPresence(ctx: Ctx, id_or_email: number | string): Promise<Payload<'getUserPresence'>> {
  const user = await requireUser(ctx, id_or_email);
  if (user.bot_type !== null) failInvalid(`The user ${id_or_email} is a bot, and bots have no presence.`);
  const [found] = await listPresences(ctx.db, ctx.realm.id, [user.id]);
  if (!found) return failUnknown(`The presence of user ${id_or_email} is not known.`);
  return { presence: presentPresence(found.presence) };
}

type Options = { readonly slim_presence: boolean };

export const getPresences = async (ctx: Ctx): Promise<Payload<'getPresences'>> =>
  presentAll(ctx, await listVisiblePresences(ctx));

/** The presences of the users whom the caller can see, in either format. */
export async function getPresencesIn(ctx: Ctx, { slim_presence }: Options) {
  const found = await listVisiblePresences(ctx);
  return slim_presence ? presentAllSlim(ctx, found) : presentAll(ctx, found);
}

/** The part of `POST /register` about presence. `visible` lists the users whom the caller can see; null for all. */
export const presenceState = (ctx: Ctx, { slim_presence }: Options, visible: readonly number[] | null) =>
  stateQuery(jsonPresences(ctx.realm.id, visible), (json: JsonPresence[]) => {
    const found = json.map(toUserPresence);
    return slim_presence ? presentAllSlim(ctx, found) : presentAll(ctx, found);
  });

function presentAll(ctx: Ctx, found: readonly UserPresence[]) {
  const presences = found.map(({ presence, ...user }) => [getApiEmail(ctx.realm, user), presentPresence(presence)]);
  return { presences: Object.fromEntries(presences), server_timestamp: serverTimestamp(ctx.now) };
}

function presentAllSlim(ctx: Ctx, found: readonly UserPresence[]) {
  const presences = found.map(({ id, presence }) => [id, presentSlim(presence)]);
  return { presences: Object.fromEntries(presences), server_timestamp: serverTimestamp(ctx.now) };
}

async function listVisiblePresences(ctx: Ctx) {
  const visible = await listVisibleUserIds(ctx);
  return listPresences(ctx.db, ctx.realm.id, visible === 'all' ? undefined : [...visible]);
}
