/** The colors of new subscriptions, in this order. */
export const PALETTE: readonly string[] = [
  '#76ce90',
  '#fae589',
  '#a6c7e5',
  '#e79ab5',
  '#bfd56f',
  '#f4ae55',
  '#b0a5fd',
  '#addfe5',
  '#f5ce6e',
  '#c2726a',
  '#94c849',
  '#bd86e5',
  '#ee7e4a',
  '#a6dcbf',
  '#95a5fd',
  '#53a063',
  '#9987e1',
  '#e4523d',
  '#c2c2c2',
  '#4f8de4',
  '#c6a8ad',
  '#e7cc4d',
  '#7fb8a4',
  '#a47462',
];

/** Colors for new subscriptions: first the unused ones, then all in turn. */
export function chooseColors(used: Iterable<string>, count: number): string[] {
  const taken = new Set([...used].map((color) => color.toLowerCase()));
  const free = PALETTE.filter((color) => !taken.has(color));
  return Array.from({ length: count }, (_, n) => free[n] ?? (PALETTE[(n - free.length) % PALETTE.length] as string));
}
