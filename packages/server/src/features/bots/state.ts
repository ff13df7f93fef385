import type { Ctx, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { isAdministrator } from '../realm/index.ts';
import { presentBot } from './present.ts';
import { listBots } from './queries.ts';

/** The bots that somebody looks after: their own, and as an administrator everybody's. */
export const listBotsOf = ({ db, realm, me }: Ctx): Promise<User[]> =>
  listBots(db, realm.id, isAdministrator(me) ? undefined : me.id);

export const botsState = async (ctx: Ctx): Promise<Pick<Schema<'State'>, 'realm_bots'>> => ({
  realm_bots: (await listBotsOf(ctx)).map(presentBot),
});
