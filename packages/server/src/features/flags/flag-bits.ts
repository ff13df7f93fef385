import { FLAG_BITS, FLAGS } from './rules.ts';

const known = new Map<number, typeof FLAGS>();

/** The flags of `flag_bits`, as `MessageView` selects them: to parse a list of texts for each message takes long. */
export function toFlags(flag_bits: number): typeof FLAGS {
  const found = known.get(flag_bits);
  if (found) return found;
  const flags = FLAGS.filter((flag) => flag_bits & FLAG_BITS[flag]);
  known.set(flag_bits, flags);
  return flags;
}
