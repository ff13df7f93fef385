import type { Ctx } from '../../core/context.ts';
import { failUnknown } from '../../core/errors.ts';
import { abortAndRetry } from '../../core/transaction.ts';
import { listSeenMessages, type SeenMessage } from './queries/seen.ts';
import { lockConversation } from './queries/send.ts';

/**
 * Returns the message, if the caller can read it (docs/behaviour/messages.md#who-can-read-a-message). A message that
 * the caller cannot read is reported as unknown.
 */
export async function requireMessage(ctx: Ctx, id: number): Promise<SeenMessage> {
  const [message] = await listSeenMessages(ctx.db, ctx.me, [id]);
  return message ?? failUnknownMessage(id);
}

export function failUnknownMessage(id: number): never {
  failUnknown(`There is no message ${id}.`);
}

/**
 * Like `requireMessage`, with a lock until the commit: a request that moves the message, or removes its readers, runs
 * entirely before or after this transaction.
 */
export async function requireMessageInHistory(ctx: Ctx, id: number): Promise<SeenMessage> {
  const { conversation_id } = await requireMessage(ctx, id);
  await lockConversation(ctx.db, ctx.realm.id, conversation_id);
  const message = await requireMessage(ctx, id);
  if (message.conversation_id !== conversation_id) abortAndRetry('Another request moved the message meanwhile.');
  return message;
}
