import { type Db, tables } from '@parley/db';
import { and, eq, isNotNull } from 'drizzle-orm';
import type { User } from '../../core/context.ts';
import { userColumns } from '../users/index.ts';

const { users } = tables;

/** The columns of a bot that its managers see. */
export type ManagedBot = Pick<User, 'id' | 'delivery_email' | 'full_name' | 'bot_type' | 'bot_owner_id' | 'avatar_key'>;

/** The active bots by id: those of one owner, or all. */
export async function listBots(db: Db, realm_id: number, owner_id?: number): Promise<User[]> {
  return db
    .select(userColumns)
    .from(users)
    .where(
      and(
        eq(users.realm_id, realm_id),
        eq(users.is_active, true),
        eq(users.is_system_bot, false),
        isNotNull(users.bot_type),
        owner_id === undefined ? undefined : eq(users.bot_owner_id, owner_id),
      ),
    )
    .orderBy(users.id);
}
