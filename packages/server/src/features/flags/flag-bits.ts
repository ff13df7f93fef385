import type { Schema } from '../../core/contract.ts';

type Flag = Schema<'MessageFlags'>[number];

/** In the order of the specification. The first one is the lowest bit. */
export const FLAGS = [
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'wildcard_mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'has_alert_word',
  'historical',
] as const satisfies readonly Flag[];

const known = new Map<number, readonly Flag[]>();

/** The flags of `flag_bits`, as `MessageView` selects them: to parse a list of texts for each message takes long. */
export function toFlags(flag_bits: number): readonly Flag[] {
  const found = known.get(flag_bits);
  if (found) return found;
  const flags = FLAGS.filter((_, bit) => flag_bits & (1 << bit));
  known.set(flag_bits, flags);
  return flags;
}
