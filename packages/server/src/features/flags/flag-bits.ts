import type { Schema } from '../../core/contract.ts';

type Flag = Schema<'MessageFlags'>[number];

/** The bit of each flag in `flag_bits`, in the order of the specification. */
export const FLAG_BITS: Readonly<Record<Flag, number>> = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  wildcard_mentioned: 16,
  stream_wildcard_mentioned: 32,
  topic_wildcard_mentioned: 64,
  has_alert_word: 128,
  historical: 256,
};

export const FLAGS = Object.keys(FLAG_BITS) as readonly Flag[];

const known = new Map<number, readonly Flag[]>();

/** The flags of `flag_bits`, as `MessageView` selects them: to parse a list of texts for each message takes long. */
export function toFlags(flag_bits: number): readonly Flag[] {
  const found = known.get(flag_bits);
  if (found) return found;
  const flags = FLAGS.filter((flag) => flag_bits & FLAG_BITS[flag]);
  known.set(flag_bits, flags);
  return flags;
}
