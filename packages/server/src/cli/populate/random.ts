/** Pseudo-random numbers that are the same for the same seed on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  shuffled<T>(from: readonly T[]): T[];
}

/** The splitmix32 generator. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)] as never,
    shuffled(from) {
      const cards = [...from];
      for (let n = cards.length - 1; n > 0; n--) {
        const other = below(n + 1);
        [cards[n], cards[other]] = [cards[other] as never, cards[n] as never];
      }
      return cards;
    },
  };
}
