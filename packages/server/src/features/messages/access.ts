import type { Ctx } from '../../core/context.ts';
import { fail } from '../../core/errors.ts';
import { abortAndRetry } from '../../core/transaction.ts';
import { listSeenMessages, type SeenMessage } from './queries/seen.ts';
import { lockConversation } from './queries/send.ts';

/**
 * The message, if who asks may read it (docs/behaviour/messages.md#who-can-read-a-message). One that they may not
 * answers like one that does not exist.
 */
export async function requireMessage(ctx: Ctx, id: number): Promise<SeenMessage> {
  const [message] = await listSeenMessages(ctx.db, ctx.me, [id]);
  return message ?? failUnknownMessage(id);
}

export function failUnknownMessage(id: number): never {
  fail('BAD_REQUEST', `There is no message ${id}.`);
}

/**
 * The same, and it stays so until the commit: a request that moves the message, or removes its readers, comes before
 * or after.
 */
export async function requireMessageInHistory(ctx: Ctx, id: number): Promise<SeenMessage> {
  const { conversation_id } = await requireMessage(ctx, id);
  await lockConversation(ctx.db, ctx.realm.id, conversation_id);
  const message = await requireMessage(ctx, id);
  if (message.conversation_id !== conversation_id) abortAndRetry('The message was moved by another request meanwhile.');
  return message;
}
