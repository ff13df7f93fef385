import { isAdministrator } from '../../access/roles.ts';
import type { Ctx, User } from '../../core/context.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import type { RegistrationState } from '../../core/state-query.ts';
import { getCachedBots } from './cached-bots.ts';
import { listBots } from './queries.ts';

/** The bots that a user manages: their own, and all for administrators. */
export const listBotsOf = ({ db, realm, me }: Ctx): Promise<User[]> =>
  listBots(db, realm.id, isAdministrator(me) ? undefined : me.id);

/** The part of `POST /register` about bots that the caller manages. */
export async function botsState(ctx: Ctx<SnapshotCaching>): Promise<RegistrationState> {
  const { me } = ctx;
  const bots = await getCachedBots(ctx);
  return { realm_bots: bots.filter(({ owner_id }) => isAdministrator(me) || owner_id === me.id) };
}
