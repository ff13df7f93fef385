import type { PublicCtx } from '../../core/context.ts';
import type { PollEnding } from '../../core/polls.ts';
import { deleteQueuesOfTokens, deleteQueuesOfUsers, releaseQueuesOfUser } from './queries.ts';

/** Ends every queue of these accounts and the polls that wait on them. */
export async function endQueuesOfUsers(ctx: PublicCtx<PollEnding>, user_ids: readonly number[]): Promise<void> {
  for (const queue of await deleteQueuesOfUsers(ctx.db, ctx.realm.id, user_ids))
    ctx.server.polls.end(queue.id, queue.poller);
}

/** Ends the polls that wait on the queues of an account whose API key is replaced. The queues stay, for its next key. */
export async function endPollsOfUser(ctx: PublicCtx<PollEnding>, user_id: number): Promise<void> {
  for (const { id, poller } of await releaseQueuesOfUser(ctx.db, ctx.realm.id, user_id))
    ctx.server.polls.end(id, poller);
}

/** Ends every queue that was registered with one of these tokens, and the polls that wait on them. */
export async function endQueuesOfTokens(ctx: PublicCtx<PollEnding>, token_ids: readonly number[]): Promise<void> {
  for (const queue of await deleteQueuesOfTokens(ctx.db, ctx.realm.id, token_ids))
    ctx.server.polls.end(queue.id, queue.poller);
}
