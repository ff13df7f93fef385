import type { Realm, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { getApiEmail } from '../users/index.ts';

export const presentTypingUser = (realm: Realm, user: User): Schema<'TypingPerson'> => ({
  user_id: user.id,
  email: getApiEmail(realm, user),
});
