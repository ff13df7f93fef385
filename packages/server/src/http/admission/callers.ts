import type { User } from '../../core/context.ts';
import type { CheckedCredentials } from '../../core/polls.ts';
import type { RequestingUser } from '../../core/rate-limits.ts';
import { toAccountOwner } from '../byte-quota.ts';

/** The lane of an account: a bot has that of its owner. */
const getAccountLane = ({ realm_id, id, bot_owner_id }: User): string =>
  toAccountOwner({ realm_id, id: bot_owner_id ?? id }).key;

/** What is known of a caller whose credentials were valid. */
export interface KnownCaller {
  readonly lane: string;
  readonly user: RequestingUser;
  readonly credentials: CheckedCredentials;
}

/** The few fields of the account that are kept for each caller. */
export const toKnownCaller = (me: User, token_id: number | null): KnownCaller => {
  const { realm_id, id, bot_owner_id, key_version } = me;
  const user = { realm_id, id, bot_owner_id };
  return { lane: getAccountLane(me), user, credentials: { realm_id, user_id: id, key_version, token_id } };
};

/** The maximum number of callers that a process remembers: about 4 MB. */
const CAPACITY = 10_000;

/**
 * The account of each caller whose credentials were valid, by the name of `toCaller`. Credentials that were never valid
 * share one lane with the other requests of their address.
 */
export class KnownCallers {
  readonly #callers = new Map<string, KnownCaller>();

  remember(caller: string, known: KnownCaller): void {
    this.#callers.delete(caller);
    this.#callers.set(caller, known);
    if (this.#callers.size <= CAPACITY) return;
    const [oldest] = this.#callers.keys();
    if (oldest !== undefined) this.#callers.delete(oldest);
  }

  find(caller: string): KnownCaller | undefined {
    return this.#callers.get(caller);
  }
}
