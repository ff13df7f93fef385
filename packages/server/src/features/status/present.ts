import type { Schema } from '../../core/contract.ts';
import type { Status } from './queries.ts';

/** A user's status without empty fields. */
export function presentStatus({
  away,
  status_text,
  emoji_name,
  emoji_code,
  reaction_type,
}: Status): Schema<'UserStatus'> {
  return {
    ...(away && { away }),
    ...(status_text !== '' && { status_text }),
    ...(emoji_name !== '' && { emoji_name, emoji_code, reaction_type }),
  };
}
