import type { User } from '../core/context.ts';

/** What there is of something, for everybody together and for each account. */
export interface Room {
  readonly all: number;
  readonly each: number;
}

/** What accounts take up of something that a process has only so much of. Counted in this process alone. */
export class Held {
  readonly #room: Room;
  readonly #by = new Map<string, number>();
  #all = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  /** Takes so much for an account, or says whose room is too small for it. */
  take(who: Pick<User, 'realm_id' | 'id'>, amount: number): keyof Room | undefined {
    const own = (this.#by.get(keyOf(who)) ?? 0) + amount;
    if (own > this.#room.each) return 'each';
    if (this.#all + amount > this.#room.all) return 'all';
    this.#all += amount;
    this.#by.set(keyOf(who), own);
    return undefined;
  }

  giveBack(who: Pick<User, 'realm_id' | 'id'>, amount: number): void {
    const own = (this.#by.get(keyOf(who)) ?? 0) - amount;
    this.#all -= amount;
    if (own > 0) this.#by.set(keyOf(who), own);
    else this.#by.delete(keyOf(who));
  }
}

const keyOf = ({ realm_id, id }: Pick<User, 'realm_id' | 'id'>): string => `${realm_id}:${id}`;
