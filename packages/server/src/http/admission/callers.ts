import type { User } from '../../core/context.ts';
import { toAccountOwner } from '../byte-quota.ts';

/** The lane of an account: a bot has that of its owner. */
export const getAccountLane = ({ realm_id, id, bot_owner_id }: User): string =>
  toAccountOwner({ realm_id, id: bot_owner_id ?? id }).key;

/** The maximum number of callers that a process remembers: about 2 MB. */
const CAPACITY = 10_000;

/**
 * The lane of each caller whose credentials were valid, by the name of `toCaller`. Credentials that were never valid
 * share one lane with the other requests of their address.
 */
export class KnownCallers {
  readonly #lanes = new Map<string, string>();

  remember(caller: string, lane: string): void {
    this.#lanes.delete(caller);
    this.#lanes.set(caller, lane);
    if (this.#lanes.size <= CAPACITY) return;
    const [oldest] = this.#lanes.keys();
    if (oldest !== undefined) this.#lanes.delete(oldest);
  }

  laneOf(caller: string): string | undefined {
    return this.#lanes.get(caller);
  }
}
