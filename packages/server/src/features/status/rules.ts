import type { Params } from '../../core/contract.ts';
import { bounds } from '../../core/limits.ts';
import type { Emoji } from '../emoji/index.ts';

/** The emoji of an empty status (docs/behaviour/status.md#change-the-status). */
export const NO_EMOJI: Emoji = Object.freeze({ emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' });

/** The problem of a new status, if there is one. Whether the emoji exists is checked elsewhere. */
export function statusProblem({
  status_text,
  emoji_name,
  emoji_code,
  reaction_type,
  away,
}: Params<'updateStatus'>): string | undefined {
  if (emoji_name === undefined && (emoji_code ?? reaction_type) !== undefined) {
    return 'emoji_name: without it, emoji_code and reaction_type say nothing.';
  }
  if (status_text === undefined && emoji_name === undefined && away === undefined) {
    return 'Send status_text, emoji_name or away: there is nothing to change.';
  }
  if ([...(status_text ?? '').trim()].length <= bounds.status_text) return undefined;
  return `status_text: a status has at most ${bounds.status_text} characters.`;
}
