export { permissionSettings } from '../realm/index.ts';
export { listUsersAmong, requireEditableGroup, requireEditor, requireSettingGroup } from './access.ts';
export { changeRoleGroups, joinRoleGroups, refreshFullMembers, systemGroupIds } from './actions/system-groups.ts';
export { isListedAsFullMember } from './cached-groups.ts';
export { deleteGroup, type EditableGroup, findMentionedBy, insertGroup, updateGroup } from './queries/edit.ts';
export {
  type GroupRow,
  insertSystemGroups as createSystemGroups,
  isInGroup,
  listGroupMemberIds,
  listGroupsByNames,
} from './queries/groups.ts';
export { deleteMembers, insertMembers, listDirectMembersAmong } from './queries/members.ts';
export {
  deleteSubgroups,
  findContaining,
  insertSubgroups,
  listDirectSubgroupIds,
  listGroupsAmong,
  lockSubgroups,
} from './queries/subgroups.ts';
export {
  changesProblem,
  type GroupChanges,
  groupDescriptionProblem,
  groupNameProblem,
  listGroupChanges,
  type MemberChanges,
  memberChangesProblem,
  toMemberChanges,
} from './rules/edit.ts';
export { type GroupSetting, type SystemGroupName, settingGroupProblem } from './rules/system.ts';
export { userGroupState } from './state.ts';
export { emitGroup, emitMembers } from './visible.ts';
