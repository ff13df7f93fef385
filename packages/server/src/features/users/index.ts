export { listUsersByApiEmails, requirePrincipals, requireUser } from './access.ts';
export { emitAddressChanges } from './addresses.ts';
export {
  getApiEmail,
  getAvatarSource,
  getAvatarUrl,
  getMediumAvatarUrl,
  getVisibleAvatarUrl,
  presentUser,
} from './present.ts';
export { lockUser, lockUsersForShare, requireLockedUser } from './queries/lock.ts';
export { jsonNamedUser, namedUserColumns } from './queries/named.ts';
export { listLastingProfiles } from './queries/profiles.ts';
export {
  findNotificationBot,
  listActiveUsersByNames,
  listUsers,
  listUsersByIds,
  userColumns,
} from './queries/users.ts';
export { listActiveRoles, listGroupsOfUsers, listSharedWithGuests } from './queries/visibility.ts';
export { RememberedProfiles } from './remembered-profiles.ts';
export { RememberedUsers } from './remembered-users.ts';
export { canSeeEmail, VISIBILITY, type Viewer } from './rules.ts';
export { usersState } from './state.ts';
export {
  findAudienceOfUser,
  limitsGuests,
  listAudiencesOfUsers,
  listGuestIds,
  listVisibleUserIds,
  splitByVisibility,
} from './visibility.ts';
