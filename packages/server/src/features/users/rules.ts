import { isAdministrator, isGuest, isModerator, ROLE } from '../../access/roles.ts';
import type { User } from '../../core/context.ts';

export type Viewer = Pick<User, 'id' | 'role'>;

/** Which users see the real address of a user (docs/behaviour/users.md#emails). */
export const VISIBILITY = Object.freeze({ everyone: 1, members: 2, administrators: 3, nobody: 4, moderators: 5 });

/** Whether a user may see the real email address of another. */
export function canSeeEmail(viewer: Viewer, user: Pick<User, 'id' | 'email_address_visibility'>): boolean {
  if (viewer.id === user.id) return true;
  switch (user.email_address_visibility) {
    case VISIBILITY.everyone:
      return true;
    case VISIBILITY.members:
      return !isGuest(viewer);
    case VISIBILITY.administrators:
      return isAdministrator(viewer);
    case VISIBILITY.moderators:
      return isModerator(viewer);
    default:
      return false;
  }
}

/** A viewer that sees of other users what this user sees, for use as a cache key. */
export function toRoleViewer(viewer: Pick<Viewer, 'role'>): Viewer {
  if (isAdministrator(viewer)) return { id: 0, role: ROLE.administrator };
  if (isModerator(viewer)) return { id: 0, role: ROLE.moderator };
  return { id: 0, role: isGuest(viewer) ? ROLE.guest : ROLE.member };
}

/** The user id in the generated address that replaces a hidden one, `user<ID>@<organization host>`. */
export function parseHiddenAddress(email: string, host: string): number | undefined {
  const [name = '', ...rest] = email.toLowerCase().split('@');
  if (rest.length !== 1 || rest[0] !== host.toLowerCase() || !/^user[1-9]\d{0,15}$/.test(name)) return undefined;
  return Number(name.slice('user'.length));
}
