import type { Schema } from '../types.ts';
import { byNumber, given, type Of, type State, withIds, without } from './state.ts';

type Group = Schema<'UserGroup'>;
type GroupEvent = Of<'user_group'>;

export function withGroup(state: State, event: GroupEvent): State {
  return given(state, 'realm_user_groups', (groups) => {
    if (event.op === 'add') return byNumber([...without(groups, 'id', [event.group.id]), event.group], 'id');
    if (event.op !== 'remove') return groups.map((one) => (one.id === event.group_id ? changed(one, event) : one));
    const { group_id } = event;
    // A deleted group is inside no other any more.
    return without(groups, 'id', [group_id]).map((one) => ({
      ...one,
      direct_subgroup_ids: withIds(one.direct_subgroup_ids, [group_id], false),
    }));
  });
}

function changed(group: Group, event: Exclude<GroupEvent, { op: 'add' | 'remove' }>): Group {
  if (event.op === 'update') return { ...group, ...event.data };
  return 'user_ids' in event
    ? { ...group, members: withIds(group.members, event.user_ids, event.op === 'add_members') }
    : {
        ...group,
        direct_subgroup_ids: withIds(
          group.direct_subgroup_ids,
          event.direct_subgroup_ids,
          event.op === 'add_subgroups',
        ),
      };
}
