// Which users can create and change groups, and what is valid in one (docs/behaviour/user-groups.md#order-of-checks,
// docs/behaviour/user-groups.md#change-members).
import { isModerator } from '../../../access/roles.ts';
import type { RealmSettings } from '../../../core/context.ts';
import type { RequestProblem } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import { codePoints, findBadCharacter } from '../../../text/names.ts';
import { canUnderPolicy, type RoleHolder } from '../../realm/index.ts';
import type { GroupFacts } from './system.ts';

type Policy = Pick<RealmSettings, 'user_group_edit_policy' | 'waiting_period_threshold'>;

/** Whether the organization lets a user create groups, and change groups at all. */
export function canEditGroups(me: RoleHolder, { user_group_edit_policy, ...settings }: Policy, now: Date): boolean {
  return canUnderPolicy(user_group_edit_policy, me, { ...settings, now });
}

/** The reason why a user who can edit groups cannot edit this one, if there is one. */
export function editProblem(me: RoleHolder, group: GroupFacts, is_direct_member: boolean): string | undefined {
  if (group.is_system_group) return `The system group "${group.name}" cannot be changed.`;
  if (isModerator(me) || is_direct_member) return undefined;
  return `Only moderators and members of the group "${group.name}" can change it.`;
}

/** Prefixes of names that are reserved for other things. */
const RESERVED = ['@', 'role:', 'user:', 'stream:', 'channel:'];

/** The problem of a trimmed name, if there is one. Whether it is free is checked elsewhere. */
export function groupNameProblem(name: string): string | undefined {
  if (name === '') return 'name: the name of a group cannot be empty.';
  if (codePoints(name) > bounds.group_name) return `name: it can have at most ${bounds.group_name} characters.`;
  const reserved = RESERVED.find((beginning) => name.startsWith(beginning));
  if (reserved !== undefined) return `name: the name of a group cannot begin with "${reserved}".`;
  const bad = findBadCharacter(name);
  return bad && `name: there is an invisible or invalid character at position ${bad.position}.`;
}

export function groupDescriptionProblem(description: string): string | undefined {
  if (codePoints(description) <= bounds.group_description) return undefined;
  return `description: it can have at most ${bounds.group_description} characters.`;
}

/** The fields of a group that a request can change. */
export interface GroupChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly can_mention_group?: number | undefined;
}

/** The problem of a request to change a group, as far as the request alone shows it. */
export function changesProblem({ name, description, can_mention_group }: GroupChanges): string | undefined {
  if (name === undefined && description === undefined && can_mention_group === undefined) {
    return 'There is nothing to change: send name, description or can_mention_group.';
  }
  return (
    (name === undefined ? undefined : groupNameProblem(name)) ??
    (description === undefined ? undefined : groupDescriptionProblem(description))
  );
}

/** Those of the changes that differ from the present group. */
export function listGroupChanges(
  group: { readonly [K in keyof GroupChanges]-?: GroupChanges[K] | null },
  requested: GroupChanges,
): { name?: string; description?: string; can_mention_group?: number } {
  const names = ['name', 'description', 'can_mention_group'] as const;
  const changed = names.filter((name) => requested[name] !== undefined && requested[name] !== group[name]);
  return Object.fromEntries(changed.map((name) => [name, requested[name]]));
}

/** Ids to add to a group and, after that, to remove from it. */
export interface MemberChanges {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

interface Facts {
  /** What the ids identify. */
  readonly noun: 'user' | 'user group';
  readonly known: ReadonlySet<number>;
  /** The direct members of the group now. */
  readonly inside: ReadonlySet<number>;
}

/** The first problem of the changes, if there is one. */
export function memberChangesProblem(
  { add, remove }: MemberChanges,
  { noun, known, inside }: Facts,
): RequestProblem | undefined {
  if (add.length + remove.length === 0) {
    return { reason: 'invalid', text: `There is no ${noun} to add or delete: send add, delete or both.` };
  }
  for (const id of add) {
    if (!known.has(id)) return { reason: 'not_found', text: `add: there is no ${noun} ${id}.` };
    if (inside.has(id)) return { reason: 'conflict', text: `add: the ${noun} ${id} is in the group already.` };
  }
  const added = new Set(add);
  for (const id of remove) {
    if (!known.has(id)) return { reason: 'not_found', text: `delete: there is no ${noun} ${id}.` };
    if (!inside.has(id) && !added.has(id)) {
      return { reason: 'conflict', text: `delete: the ${noun} ${id} is not directly in the group.` };
    }
  }
  return undefined;
}

/** The ids of a request, each once. */
export const toMemberChanges = (lists: {
  add?: number[] | undefined;
  delete?: number[] | undefined;
}): MemberChanges => ({
  add: [...new Set(lists.add)],
  remove: [...new Set(lists.delete)],
});
