const DAY = 24 * 3600 * 1000;

/** Until when messages must have been sent that are not kept any longer; undefined when all are kept. */
export function getCutoff(days: number, now: Date): Date | undefined {
  return days < 0 ? undefined : new Date(Math.max(now.getTime() - days * DAY, 0));
}

/**
 * How many of a conversation's messages, the oldest first, are not kept any longer. It ends at the first one that is: clocks of
 * several processes may disagree by a little, and it waits for that one.
 */
export function countExpired(oldestFirst: readonly { readonly sent_at: number }[], cutoff: Date): number {
  const kept = oldestFirst.findIndex(({ sent_at }) => sent_at >= cutoff.getTime());
  return kept === -1 ? oldestFirst.length : kept;
}
