import { FEATURE_LEVEL } from '../../core/limits.ts';
import type { Engine } from '../../core/transaction.ts';
import { VERSION } from '../../core/version.ts';
import { insertRestart } from './queries/append.ts';

/** Emits to every queue that a server process has started, perhaps with another version. */
export async function emitRestart({ database, clock, wake }: Engine): Promise<void> {
  const now = clock();
  const event = {
    type: 'restart',
    service_version: VERSION,
    service_merge_base: VERSION,
    service_feature_level: FEATURE_LEVEL,
    server_generation: Math.floor(now.getTime() / 1000),
  } as const;
  for (const realm_id of await insertRestart(database.db, event, now)) wake(realm_id);
}
