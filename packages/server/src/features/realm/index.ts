export { failUnknownOrganization, findCurrentSettings, withLockedSettings } from './access.ts';
export { getCachedSettings } from './cached-settings.ts';
export { externalAccounts } from './external-accounts.ts';
export { languages } from './languages.ts';
export { permissionSettings } from './permission-settings.ts';
export { parseSubdomain, presentRealm, type ServerAddress, toUrl } from './present.ts';
export { insertAudit } from './queries/audit.ts';
export {
  findRealmById,
  findRealmBySubdomain,
  type RealmRow,
  realmColumns,
} from './queries/realms.ts';
export { isStream, updateRealmDeactivated, updateRealmOverrides } from './queries/settings.ts';
export { canMentionEveryone, canUnderPolicy, isFullMember, type PolicyFacts, type RoleHolder } from './rules.ts';
export { defaultSettings, toRealmSettings } from './settings.ts';
export { getRealmIcon, realmState, serverState } from './state.ts';
