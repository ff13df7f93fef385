// Someone who reads, and what all comparisons with the rules use.
import { type Narrow, ParleyError } from '@parley/client';
import type { TestUser } from '../chat.ts';
import type { MessageRow, OrganizationFacts, UserFacts } from './facts.ts';
import type { AccessWorld } from './world.ts';

export interface Reader {
  readonly world: AccessWorld;
  readonly facts: OrganizationFacts;
  readonly user: UserFacts;
  readonly api: TestUser['api'];
  readonly person: TestUser;
  /** Messages that the rules let the user read, and the others. */
  readonly readable: readonly MessageRow[];
  readonly hidden: readonly MessageRow[];
}

/** `ok`, or the code of the error. */
export const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof ParleyError) return error.code;
      throw error;
    },
  );

export const all = (narrow: Narrow) => ({ anchor: 'newest', num_before: 5000, num_after: 0, narrow }) as const;
export const ascending = (found: readonly { stream_id: number }[]) =>
  found.map(({ stream_id }) => stream_id).sort((a, b) => a - b);
export const idsOf = (messages: readonly { id: number }[]) => messages.map(({ id }) => id);
export const named = ({ user }: Reader, what: string) => `${what} of user ${user.id} with role ${user.role}`;

/** The oldest and the newest message of each conversation. */
export function sample(messages: readonly MessageRow[]): MessageRow[] {
  const first = new Map([...messages].reverse().map((message) => [message.conversation_id, message]));
  const last = new Map(messages.map((message) => [message.conversation_id, message]));
  return [...new Set([...first.values(), ...last.values()])];
}
