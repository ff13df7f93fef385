import type { PublicCtx } from '../../core/context.ts';
import { deleteQueuesOfUsers } from './queries.ts';

/** Ends every queue of these accounts and the polls that wait on them. */
export async function endQueuesOfUsers(ctx: PublicCtx, user_ids: readonly number[]): Promise<void> {
  for (const queue of await deleteQueuesOfUsers(ctx.db, ctx.realm.id, user_ids))
    ctx.server.polls.end(queue.id, queue.poller);
}
