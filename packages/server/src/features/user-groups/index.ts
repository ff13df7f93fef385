export { permissionSettings } from '../realm/index.ts';
export { requireSettingGroup } from './access.ts';
export { changeRoleGroups, joinRoleGroups, refreshFullMembers, systemGroupIds } from './actions/system-groups.ts';
export {
  type GroupRow,
  insertSystemGroups as createSystemGroups,
  isInGroup,
  listGroupMemberIds,
  listGroupsByNames,
} from './queries/groups.ts';
export { type GroupSetting, type SystemGroupName, settingGroupProblem } from './rules/system.ts';
export { userGroupState } from './state.ts';
