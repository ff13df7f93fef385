const DAY = 24 * 3600 * 1000;

/** The time before which expired messages were sent; undefined when no message expires. */
export function getCutoff(days: number, now: Date): Date | undefined {
  return days < 0 ? undefined : new Date(Math.max(now.getTime() - days * DAY, 0));
}

/**
 * The number of expired messages of a conversation, oldest first. Counting ends at the first message that is not
 * expired: clocks of several processes can differ a little.
 */
export function countExpired(oldestFirst: readonly { readonly sent_at: number }[], cutoff: Date): number {
  const firstCurrent = oldestFirst.findIndex(({ sent_at }) => sent_at >= cutoff.getTime());
  return firstCurrent === -1 ? oldestFirst.length : firstCurrent;
}
