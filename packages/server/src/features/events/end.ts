import type { PublicCtx } from '../../core/context.ts';
import { deleteQueuesOfUser } from './queries.ts';

/** Ends every queue of an account and the polls that wait on them. */
export async function endQueuesOf(ctx: PublicCtx, user_id: number): Promise<void> {
  for (const queue of await deleteQueuesOfUser(ctx.db, ctx.realm.id, user_id))
    ctx.server.polls.end(queue.id, queue.poller);
}
