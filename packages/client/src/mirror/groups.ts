import type { Schema } from '../types.ts';
import { ascending, given, type Of, type State } from './state.ts';

type Group = Schema<'UserGroup'>;
type GroupEvent = Of<'user_group'>;

export function withGroup(state: State, event: GroupEvent): State {
  return given(state, 'realm_user_groups', (groups) => {
    if (event.op === 'add') {
      return [...groups.filter(({ id }) => id !== event.group.id), event.group].sort((a, b) => a.id - b.id);
    }
    if (event.op === 'remove') return groups.filter(({ id }) => id !== event.group_id).map(without(event.group_id));
    return groups.map((group) => (group.id === event.group_id ? changed(group, event) : group));
  });
}

/** A deleted group is inside no other any more. */
const without =
  (group_id: number) =>
  (group: Group): Group => ({
    ...group,
    direct_subgroup_ids: group.direct_subgroup_ids.filter((id) => id !== group_id),
  });

function changed(group: Group, event: Exclude<GroupEvent, { op: 'add' | 'remove' }>): Group {
  if (event.op === 'update') return { ...group, ...event.data };
  if ('user_ids' in event) {
    const members = withIds(group.members, event.user_ids, event.op === 'add_members');
    return { ...group, members };
  }
  const direct_subgroup_ids = withIds(
    group.direct_subgroup_ids,
    event.direct_subgroup_ids,
    event.op === 'add_subgroups',
  );
  return { ...group, direct_subgroup_ids };
}

function withIds(before: readonly number[], ids: readonly number[], added: boolean): number[] {
  const named = new Set(ids);
  return added ? ascending([...before, ...ids]) : before.filter((id) => !named.has(id));
}
