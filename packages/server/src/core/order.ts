/** Whether `ids`, an order of these items, contains each of them exactly once. */
export function hasEachOnce(ids: readonly number[], things: readonly { readonly id: number }[]): boolean {
  const idSet = new Set(ids);
  return ids.length === things.length && things.every(({ id }) => idSet.has(id));
}
