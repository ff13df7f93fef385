import type { Realm, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { apiEmailOf } from '../users/index.ts';

export const presentPerson = (realm: Realm, user: User): Schema<'TypingPerson'> => ({
  user_id: user.id,
  email: apiEmailOf(realm, user),
});
