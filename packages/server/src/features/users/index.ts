export { listUsersByApiEmails, requirePrincipals, requireUser } from './access.ts';
export { emitAddressChanges } from './addresses.ts';
export {
  type AvatarFields,
  getApiEmail,
  getAvatarSource,
  getAvatarUrl,
  getMediumAvatarUrl,
  getShownAvatarUrl,
  presentUser,
} from './present.ts';
export { lockUser, lockUsersForShare, requireLockedUser } from './queries/lock.ts';
export {
  findNotificationBot,
  listActiveUsersByNames,
  listUsers,
  listUsersByIds,
  userColumns,
} from './queries/users.ts';
export { canSeeEmail, VISIBILITY } from './rules.ts';
export { usersState } from './state.ts';
export {
  emitGuestVisibility,
  emitUserAdded,
  findAudienceOfUser,
  type GuestVisibility,
  listAudiencesOfUsers,
  listVisibleUserIds,
  loadGuestVisibility,
  splitByVisibility,
  withGuestVisibilityEvents,
} from './visibility.ts';
