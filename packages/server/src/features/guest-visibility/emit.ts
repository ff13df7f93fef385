import { ROLE } from '../../access/roles.ts';
import type { PublicCtx, User } from '../../core/context.ts';
import type { Event } from '../../core/contract.ts';
import type { Audience } from '../../core/event-log/audience.ts';
import type { Profiles } from '../../core/profiles.ts';
import { listPresences, presenceHistory } from '../presence/index.ts';
import { listStatuses, presentStatus } from '../status/index.ts';
import {
  canSeeEmail,
  findAudienceOfUser,
  getApiEmail,
  limitsGuests,
  listActiveRoles,
  listGroupsOfUsers,
  listGuestIds,
  listLastingProfiles,
  listSharedWithGuests,
  listUsers,
  lockUsersForShare,
  presentUser,
  VISIBILITY,
  type Viewer,
} from '../users/index.ts';

/**
 * Emits a user who joined, or became visible to `among`, to each viewer with what that viewer can see. A user who joins
 * has no values in custom profile fields yet.
 */
export async function emitUserAdded(
  ctx: PublicCtx,
  user: User,
  among?: Audience,
  profiles: Profiles = new Map(),
): Promise<void> {
  const audience = among ?? (await findAudienceOfUser(ctx, user.id));
  const emitAdded = (viewer: Viewer, to: Audience) => {
    const userObject = presentUser(ctx.realm, viewer, user, { client_gravatar: false, profiles });
    ctx.emit({ type: 'realm_user', op: 'add', person: userObject }, to);
  };
  if (user.email_address_visibility === VISIBILITY.everyone) return emitAdded(user, audience);
  const roles = await listActiveRoles(ctx.db, ctx.realm.id);
  const viewer_ids = roles.filter((viewer) => canSeeEmail(viewer, user)).map(({ id }) => id);
  emitAdded(user, { users: viewer_ids.filter((id) => !among || among.users?.includes(id)) });
  emitAdded({ id: 0, role: ROLE.guest }, { ...audience, except: viewer_ids });
}

/** For each guest with limited visibility, the users they can see; `all` when visibility is not limited. */
export type GuestVisibility = Map<number, Set<number>> | 'all';

/** Runs a change that may affect what guests can see, and emits the users that became visible to them or no longer are. */
export async function withGuestVisibilityEvents<T>(ctx: PublicCtx, change: () => Promise<T>): Promise<T> {
  if (!ctx.realm.limits_guests) return change();
  const before = await loadGuestVisibility(ctx);
  const result = await change();
  await emitGuestVisibility(ctx, before);
  return result;
}

/** How far guests see now. Take it before a change that may move the limits, and give it to `emitGuestVisibility` after. */
export async function loadGuestVisibility(ctx: PublicCtx): Promise<GuestVisibility> {
  if (!(await limitsGuests(ctx))) return 'all';
  const visibility = new Map((await listGuestIds(ctx)).map((id) => [id, new Set([id])]));
  for (const { guest_id, user_id } of await listSharedWithGuests(ctx.db, ctx.realm.id))
    visibility.get(guest_id)?.add(user_id);
  return visibility;
}

/** Emits to guests the users that became visible to them, or no longer are, since `before` was loaded. */
export async function emitGuestVisibility(ctx: PublicCtx, before: GuestVisibility): Promise<void> {
  const after = await loadGuestVisibility(ctx);
  if (before === 'all' && after === 'all') return;
  const guests = await listGuestIds(ctx);
  const sees = (visibility: GuestVisibility, guest: number, id: number) =>
    visibility === 'all' || (visibility.get(guest)?.has(id) ?? false);
  const changes = new Map(
    (await listUsers(ctx.db, ctx.realm.id)).map(({ id }) => {
      const gained = guests.filter((guest) => !sees(before, guest, id) && sees(after, guest, id));
      const lost = guests.filter((guest) => sees(before, guest, id) && !sees(after, guest, id));
      return [id, { gained, lost }];
    }),
  );
  const concerned = [...changes].filter(([, { gained, lost }]) => gained.length + lost.length > 0).map(([id]) => id);
  if (concerned.length === 0) return;
  // A concurrent change of such a user is emitted to those who saw them before this change, or to those who see them after it.
  const users = await lockUsersForShare(ctx.db, ctx.realm.id, concerned);
  const profiles = await listLastingProfiles(ctx.db, ctx.realm.id, concerned);
  for (const user of users) {
    const { gained = [], lost = [] } = changes.get(user.id) ?? {};
    if (gained.length > 0) await emitUserAdded(ctx, user, { users: gained }, profiles);
    // The name is no longer theirs to know, so the event does not carry it.
    const unknown = { user_id: user.id, full_name: 'Unknown user' };
    if (lost.length > 0) ctx.emit({ type: 'realm_user', op: 'remove', person: unknown }, { users: lost });
  }
  await emitGroupMembers(ctx, concerned, changes);
  const gainedOf = (user_id: number) => changes.get(user_id)?.gained ?? [];
  await emitStatusAndPresence(
    ctx,
    gainedOf,
    concerned.filter((id) => gainedOf(id).length > 0),
  );
}

interface VisibilityChange {
  /** Guests who came to see the user. */
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/** Emits group members: a guest gets only those that they can see. */
async function emitGroupMembers(
  ctx: PublicCtx,
  user_ids: readonly number[],
  byUser: ReadonlyMap<number, VisibilityChange>,
): Promise<void> {
  const changes = new Map<string, Extract<Event, { type: 'user_group'; user_ids: unknown }> & { users: number[] }>();
  for (const { group_id, user_id } of await listGroupsOfUsers(ctx.db, ctx.realm.id, user_ids)) {
    const { gained = [], lost = [] } = byUser.get(user_id) ?? {};
    for (const [op, guests] of [
      ['add_members', gained],
      ['remove_members', lost],
    ] as const) {
      if (guests.length === 0) continue;
      const key = `${op} ${group_id} ${guests.join()}`;
      const change = changes.get(key) ?? { type: 'user_group', op, group_id, user_ids: [], users: [...guests] };
      change.user_ids.push(user_id);
      changes.set(key, change);
    }
  }
  for (const { users, ...event } of changes.values()) ctx.emit(event, { users });
}

/** Emits the status and presence of users to those to whom they became visible. */
async function emitStatusAndPresence(
  ctx: PublicCtx,
  viewersOf: (user_id: number) => number[],
  user_ids: readonly number[],
): Promise<void> {
  if (user_ids.length === 0) return;
  for (const status of await listStatuses(ctx.db, ctx.realm.id, user_ids)) {
    const { user_id } = status;
    ctx.emit({ type: 'user_status', user_id, ...presentStatus(status) }, { users: viewersOf(user_id) });
  }
  for (const { presence, ...user } of await listPresences(ctx.db, ctx.realm.id, user_ids)) {
    const account = { user_id: user.id, email: getApiEmail(ctx.realm, user) };
    for (const event of presenceHistory(account, presence, ctx.now)) ctx.emit(event, { users: viewersOf(user.id) });
  }
}
