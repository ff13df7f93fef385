import { ROLE } from '../../../access/roles.ts';
import type { Schema } from '../../../core/contract.ts';
import { isFullMember, type PolicyFacts, permissionSettings, type RoleHolder } from '../../realm/index.ts';

/** The groups that every organization has, in the order of their ids (docs/behaviour/user-groups.md#system-groups). */
export const systemGroups = Object.freeze([
  { name: 'role:nobody', description: 'Nobody' },
  { name: 'role:owners', description: 'Owners of this organization' },
  { name: 'role:administrators', description: 'Administrators of this organization, including owners' },
  { name: 'role:moderators', description: 'Moderators of this organization, including administrators' },
  { name: 'role:fullmembers', description: 'Members of this organization, not including new accounts and guests' },
  { name: 'role:members', description: 'Members of this organization, not including guests' },
  { name: 'role:everyone', description: 'Everyone in this organization, including guests' },
  { name: 'role:internet', description: 'Everyone on the Internet' },
] as const);

export type SystemGroupName = (typeof systemGroups)[number]['name'];

const groupOfRole: Readonly<Record<number, SystemGroupName>> = {
  [ROLE.owner]: 'role:owners',
  [ROLE.administrator]: 'role:administrators',
  [ROLE.moderator]: 'role:moderators',
  [ROLE.member]: 'role:members',
  [ROLE.guest]: 'role:everyone',
};

/** The system groups that users of this role can be direct members of. */
export function listGroupsOfRole(role: number): SystemGroupName[] {
  const own = groupOfRole[role];
  if (!own) throw new Error(`There is no role ${role}`);
  return role === ROLE.member ? [own, 'role:fullmembers'] : [own];
}

/** The system groups that this user is a direct member of, by the facts given. */
export function listSystemGroupsOf(user: RoleHolder, facts: PolicyFacts): SystemGroupName[] {
  return listGroupsOfRole(user.role).filter((name) => name !== 'role:fullmembers' || isFullMember(user, facts));
}

const settings = { ...permissionSettings.realm, ...permissionSettings.stream, ...permissionSettings.group };
export type GroupSetting = keyof typeof settings;

export interface GroupFacts {
  readonly name: string;
  readonly is_system_group: boolean;
}

/** The reason why a setting cannot name this group, if there is one. */
export function settingGroupProblem(name: GroupSetting, group: GroupFacts): string | undefined {
  const rule: Schema<'PermissionSetting'> = settings[name];
  if (!group.is_system_group)
    return rule.require_system_group ? `${name}: only system groups can be given.` : undefined;
  const isRejected = {
    'role:internet': !rule.allow_internet_group,
    'role:owners': !rule.allow_owners_group,
    'role:nobody': !rule.allow_nobody_group,
    'role:everyone': !rule.allow_everyone_group,
  }[group.name];
  const among = rule.allowed_system_groups;
  if (!isRejected && (among.length === 0 || among.includes(group.name))) return undefined;
  return `${name}: the group ${group.name} cannot be given.`;
}
