import { isAdministrator } from '../../../access/roles.ts';
import type { User } from '../../../core/context.ts';
import type { RequestProblem } from '../../../core/errors.ts';
import { isPast } from '../../message-edits/index.ts';
import { canUnderPolicy, type PolicyFacts } from '../../realm/index.ts';

interface Deleting {
  /** The owner of the sender, if that is a bot. */
  readonly owner_id: number | null;
  readonly policy: number;
  readonly limit: number | null;
  readonly policy_facts: PolicyFacts;
}

type DeletableMessage = { readonly sender: { readonly id: number }; readonly sent_at: number };

/**
 * The reason why a user who can read a message cannot delete it, if there is one
 * (docs/behaviour/messages.md#delete-a-message).
 */
export function deletionProblem(
  me: Pick<User, 'id' | 'role' | 'date_joined'>,
  { sender, sent_at }: DeletableMessage,
  { owner_id, policy, limit, policy_facts }: Deleting,
): RequestProblem | undefined {
  if (isAdministrator(me)) return undefined;
  if (sender.id !== me.id && owner_id !== me.id) {
    return { reason: 'forbidden', text: 'You can only delete your own messages.' };
  }
  if (!canUnderPolicy(policy, me, policy_facts)) {
    return { reason: 'forbidden', text: 'You do not have permission to delete messages.' };
  }
  if (!isPast(limit, sent_at, policy_facts.now)) return undefined;
  return { reason: 'conflict', text: 'The time limit for deleting this message has passed.' };
}
