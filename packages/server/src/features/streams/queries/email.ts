import { type Db, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, exists, inArray, notExists, type SQL } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';

const { memberships, streams } = tables;

export async function findEmailVersion(db: Db, realm_id: number, id: number): Promise<number | undefined> {
  const [row] = await db
    .select({ email_version: streams.email_version })
    .from(streams)
    .where(and(eq(streams.realm_id, realm_id), eq(streams.id, id)));
  return row?.email_version;
}

/** Replaces the email addresses of these streams: users who lost access know the old ones. */
export async function rotateEmailAddresses(db: Db, realm_id: number, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await rotate(db, realm_id, inArray(streams.id, [...ids]));
}

/** Replaces the email addresses of the streams that deactivated accounts are subscribed to. */
export async function rotateEmailAddressesOfSubscriber(
  db: Db,
  realm_id: number,
  user_ids: readonly number[],
): Promise<void> {
  await rotate(db, realm_id, exists(subscriptionsOf(db, user_ids)));
}

/**
 * Replaces the email addresses of the streams that a member can no longer see as a guest: all but those they are
 * subscribed to.
 */
export async function rotateEmailAddressesOfNewGuest(db: Db, { realm_id, id }: Pick<User, 'realm_id' | 'id'>) {
  await rotate(db, realm_id, and(eq(streams.invite_only, false), notExists(subscriptionsOf(db, [id]))));
}

function subscriptionsOf(db: Db, user_ids: readonly number[]) {
  return db
    .select({ id: memberships.conversation_id })
    .from(memberships)
    .where(
      and(
        eq(memberships.realm_id, streams.realm_id),
        eq(memberships.conversation_id, streams.id),
        inArray(memberships.user_id, [...user_ids]),
        eq(memberships.active, true),
      ),
    );
}

async function rotate(db: Db, realm_id: number, which: SQL | undefined): Promise<void> {
  await db
    .update(streams)
    .set({ email_version: sql`${streams.email_version} + 1` })
    .where(and(eq(streams.realm_id, realm_id), which));
}
