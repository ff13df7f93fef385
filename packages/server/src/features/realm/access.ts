import type { PublicCtx, RealmSettings } from '../../core/context.ts';
import { findRealmOverrides } from './queries/realms.ts';
import { toRealmSettings } from './settings.ts';

/** The settings as they are now; `ctx.realm` has them as they were when the request came in. */
export async function findCurrentSettings(
  db: PublicCtx['db'],
  realm_id: number,
  lock?: 'share' | 'update',
): Promise<RealmSettings> {
  return toRealmSettings(await findRealmOverrides(db, realm_id, lock));
}
