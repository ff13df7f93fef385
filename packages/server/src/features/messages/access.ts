import type { Ctx } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { listSeenMessages, type SeenMessage } from './queries/fetch.ts';

/** The message, if who asks may read it (behaviour 3.4). One that they may not answers like one that does not exist. */
export async function requireMessage(ctx: Ctx, id: number): Promise<SeenMessage> {
  const [message] = await listSeenMessages(ctx.db, ctx.me, [id]);
  return message ?? refuse('BAD_REQUEST', `There is no message ${id}.`);
}
