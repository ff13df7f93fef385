import type { Schema } from '../types.ts';
import { changed, type Of, pickPresent, type State, upsertSorted, withIds, without } from './state.ts';

type Group = Schema<'UserGroup'>;
type GroupEvent = Of<'user_group'>;

export function withGroup(state: State, event: GroupEvent): State {
  return pickPresent(state, 'realm_user_groups', (groups) => {
    if (event.op === 'add') return upsertSorted(groups, 'id', [event.group]);
    if (event.op !== 'remove') return changed(groups, [event.group_id], (one) => partsAfter(one, event), 'id');
    const { group_id } = event;
    // A deleted group is no longer a subgroup of others.
    return without(groups, [group_id], 'id').map((one) => ({
      ...one,
      direct_subgroup_ids: withIds(one.direct_subgroup_ids, [group_id], false),
    }));
  });
}

function partsAfter(group: Group, event: Exclude<GroupEvent, { op: 'add' | 'remove' }>): Partial<Group> {
  if (event.op === 'update') return event.data;
  const { user_ids = [], direct_subgroup_ids = [] }: { user_ids?: number[]; direct_subgroup_ids?: number[] } = event;
  const added = event.op.startsWith('add');
  return {
    members: withIds(group.members, user_ids, added),
    direct_subgroup_ids: withIds(group.direct_subgroup_ids, direct_subgroup_ids, added),
  };
}
