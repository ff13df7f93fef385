import type { User } from '../../core/context.ts';
import { accountOwner } from '../quota.ts';

/** Callers that a process remembers: about 2 MB. */
const CAPACITY = 10_000;

/**
 * Which account a caller is, as `toCaller` names callers: learned when its credentials are right. So credentials that were never
 * right share one lane with the other requests of their address, and a bot shares the lane of its owner.
 */
export class KnownCallers {
  readonly #lanes = new Map<string, string>();

  remember(caller: string, { realm_id, id, bot_owner_id }: User): void {
    this.#lanes.delete(caller);
    this.#lanes.set(caller, accountOwner({ realm_id, id: bot_owner_id ?? id }).key);
    if (this.#lanes.size <= CAPACITY) return;
    const [oldest] = this.#lanes.keys();
    if (oldest !== undefined) this.#lanes.delete(oldest);
  }

  laneOf(caller: string): string | undefined {
    return this.#lanes.get(caller);
  }
}
