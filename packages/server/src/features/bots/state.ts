import { isAdministrator } from '../../access/roles.ts';
import type { Ctx, User } from '../../core/context.ts';
import { stateQuery } from '../../core/state-query.ts';
import { presentBot } from './present.ts';
import { jsonBots, listBots, type ManagedBot } from './queries.ts';

/** The bots that a user manages: their own, and all for administrators. */
export const listBotsOf = ({ db, realm, me }: Ctx): Promise<User[]> =>
  listBots(db, realm.id, isAdministrator(me) ? undefined : me.id);

/** The part of `POST /register` about bots that the caller manages. */
export const botsState = ({ realm, me }: Ctx) =>
  stateQuery(jsonBots(realm.id, isAdministrator(me) ? null : me.id), (found: ManagedBot[]) => ({
    realm_bots: found.map(presentBot),
  }));
