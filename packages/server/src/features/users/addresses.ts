import { isGuest } from '../../access/roles.ts';
import type { PublicCtx, User } from '../../core/context.ts';
import type { Audience } from '../../core/event-log/audience.ts';
import { getApiEmail } from './present.ts';
import { listActiveRoles } from './queries/visibility.ts';
import { canSeeEmail, VISIBILITY, type Viewer } from './rules.ts';
import { findAudienceOfUser } from './visibility.ts';

/**
 * Emits to users who see a user which of the user's addresses changed for them: because the address changed, or its
 * visibility.
 */
export async function emitAddressChanges(ctx: PublicCtx, before: User, after: User): Promise<void> {
  const audience = await findAudienceOfUser(ctx, after.id);
  if (before.email_address_visibility === after.email_address_visibility && isOpen(after)) {
    emitUserUpdate(ctx, { user_id: after.id, delivery_email: after.delivery_email }, audience);
  } else {
    await emitToAudience(ctx, before, after, audience);
  }
  const new_email = getApiEmail(ctx.realm, after);
  if (new_email !== getApiEmail(ctx.realm, before)) emitUserUpdate(ctx, { user_id: after.id, new_email }, audience);
}

const isOpen = (user: User): boolean => user.email_address_visibility === VISIBILITY.everyone;

async function emitToAudience(ctx: PublicCtx, before: User, after: User, audience: Audience): Promise<void> {
  const viewers = (await listActiveRoles(ctx.db, ctx.realm.id)).filter((viewer) => isIn(audience, viewer));
  const emailFor = (viewer: Viewer, user: User) => (canSeeEmail(viewer, user) ? user.delivery_email : null);
  const affected = viewers.filter((viewer) => emailFor(viewer, before) !== emailFor(viewer, after));
  const gained = affected.filter((viewer) => canSeeEmail(viewer, after)).map(({ id }) => id);
  const lost = new Set(affected.map(({ id }) => id).filter((id) => !gained.includes(id)));
  const { id: user_id, delivery_email } = after;
  if (gained.length > 0) emitUserUpdate(ctx, { user_id, delivery_email }, { users: gained });
  // Users who join at this moment are included in the audience that loses it: they may have seen the address before the
  // change.
  const others = viewers.map(({ id }) => id).filter((id) => !lost.has(id));
  if (lost.size > 0) emitUserUpdate(ctx, { user_id, delivery_email: null }, { ...audience, except: others });
}

const isIn = ({ everyone, users }: Audience, viewer: Viewer): boolean =>
  everyone === true || !isGuest(viewer) || (users?.includes(viewer.id) ?? false);

type AddressUpdate = { user_id: number; new_email: string } | { user_id: number; delivery_email: string | null };

function emitUserUpdate(ctx: PublicCtx, user: AddressUpdate, audience: Audience): void {
  ctx.emit({ type: 'realm_user', op: 'update', person: user }, audience);
}
