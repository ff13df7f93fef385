import type { Schema } from '../types.ts';
import { type Of, pickPresent, type State } from './state.ts';

type Status = Schema<'UserStatus'>;

/** Applies a user's status: fields that the event omits stay unchanged, and empty ones are removed. */
export function withStatus(state: State, { type: _, user_id, ...said }: Of<'user_status'>): State {
  return pickPresent(state, 'user_status', ({ [user_id]: before, ...others }) => {
    const { away, status_text, emoji_name, emoji_code = '', reaction_type = 'unicode_emoji' } = { ...before, ...said };
    const status: Status = {
      ...(away && { away }),
      ...(status_text && { status_text }),
      ...(emoji_name && { emoji_name, emoji_code, reaction_type }),
    };
    return Object.keys(status).length > 0 ? { ...others, [user_id]: status } : others;
  });
}

export function withoutStatus(state: State, user_id: number): State {
  return pickPresent(state, 'user_status', ({ [user_id]: _, ...others }) => others);
}
