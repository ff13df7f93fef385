import { isGuest } from '../../access/roles.ts';
import type { Ctx, PublicCtx } from '../../core/context.ts';
import type { Audience } from '../../core/event-log/audience.ts';
import { lockUsers } from './queries/lock.ts';
import { isGuestVisibilityLimited, listActiveRoles, listSharedWithGuests } from './queries/visibility.ts';

/** Whether guests see only the users they share something with, as the setting stands now. */
export const limitsGuests = async ({ db, realm }: Pick<PublicCtx, 'db' | 'realm'>): Promise<boolean> =>
  realm.has_locked_settings ? realm.limits_guests : isGuestVisibilityLimited(db, realm.id);

/**
 * The users that the caller can see: for guests of some organizations only users with whom they share a stream or
 * conversation (docs/behaviour/users.md#who-sees-a-user).
 */
export async function listVisibleUserIds(ctx: Ctx): Promise<Set<number> | 'all'> {
  if (!isGuest(ctx.me) || !(await limitsGuests(ctx))) return 'all';
  const shared = await listSharedWithGuests(ctx.db, ctx.realm.id, { guest_id: ctx.me.id });
  return new Set([ctx.me.id, ...shared.map(({ user_id }) => user_id)]);
}

/** The users who can see a user: the audience of events about them. */
export async function findAudienceOfUser(ctx: PublicCtx, user_id: number): Promise<Audience> {
  return (await listAudiencesOfUsers(ctx, [user_id]))(user_id);
}

/** The same for several users. Their number adds no statements. */
export async function listAudiencesOfUsers(
  ctx: PublicCtx,
  user_ids: readonly number[],
): Promise<(user_id: number) => Audience> {
  if (!(await limitsGuests(ctx))) return () => ({ everyone: true });
  const shared = await listSharedWithGuests(ctx.db, ctx.realm.id, { user_ids });
  return (user_id) => {
    const guests = shared.filter((one) => one.user_id === user_id).map(({ guest_id }) => guest_id);
    return { non_guests: true, users: [...new Set([user_id, ...guests])] };
  };
}

/** Users of whom an event lists those that its audience may know of. */
export interface VisiblePart {
  readonly audience: Audience;
  readonly user_ids: number[];
}

/**
 * Splits an event that lists users: guests with limited visibility get only the users they can see, and all others get
 * all of them. A part may be empty. The users are locked until the commit, so that their visibility to guests does not
 * change unnoticed.
 */
export async function splitByVisibility(ctx: PublicCtx, user_ids: readonly number[]): Promise<VisiblePart[]> {
  if (!(await limitsGuests(ctx))) return [{ audience: { everyone: true }, user_ids: [...user_ids] }];
  await lockUsers(ctx.db, ctx.realm.id, user_ids);
  const shared = await listSharedWithGuests(ctx.db, ctx.realm.id, { user_ids });
  const seen = new Set(shared.map(({ guest_id, user_id }) => `${guest_id} ${user_id}`));
  const parts = new Map<string, { users: number[]; user_ids: number[] }>();
  for (const guest of await listGuestIds(ctx)) {
    const visible = user_ids.filter((id) => id === guest || seen.has(`${guest} ${id}`));
    const part = parts.get(visible.join()) ?? { users: [], user_ids: visible };
    part.users.push(guest);
    parts.set(visible.join(), part);
  }
  return [
    { audience: { non_guests: true }, user_ids: [...user_ids] },
    ...[...parts.values()].map(({ users, user_ids }) => ({ audience: { users }, user_ids })),
  ];
}

export const listGuestIds = async ({ db, realm }: PublicCtx): Promise<number[]> =>
  (await listActiveRoles(db, realm.id)).filter(isGuest).map(({ id }) => id);
