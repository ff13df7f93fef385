// Which lanes of a fair queue have the most tasks, so that one of theirs fails when too many wait.
import type { Lane } from './admission-limits.ts';

interface LaneCount {
  readonly lane: Lane;
  readonly count: number;
}

/**
 * The tasks of lanes with waiting tasks, including the running ones, and the waiting tasks of groups. Running tasks
 * of a group do not count: they belong to a few of its lanes, and the other lanes must not pay for them.
 */
export interface TaskCounts {
  readonly groups: ReadonlyMap<string | undefined, number>;
  readonly lanes: readonly LaneCount[];
  /** The tasks of a lane, running and waiting. */
  readonly countOf: (lane: string) => number;
}

/** `waiting`: the waiting tasks of each lane. */
export function countTasks(
  waiting: Iterable<readonly { readonly lane: Lane }[]>,
  runningOf: (lane: string) => number,
): TaskCounts {
  const groups = new Map<string | undefined, number>();
  const lanes: LaneCount[] = [];
  for (const tasks of waiting) {
    const [first] = tasks;
    if (!first) continue;
    const { lane, group } = first.lane;
    groups.set(group, (groups.get(group) ?? 0) + tasks.length);
    lanes.push({ lane: first.lane, count: tasks.length + runningOf(lane) });
  }
  const countOf = (lane: string) => lanes.find((one) => one.lane.lane === lane)?.count ?? runningOf(lane);
  return { groups, lanes, countOf };
}

/**
 * Whether, with one more task, no other group has more waiting tasks than the lane's group, and no lane of that group
 * has more tasks.
 */
export function isAheadOfAll({ lane, group }: Lane, { groups, lanes, countOf }: TaskCounts): boolean {
  const most = Math.max(0, ...[...groups].filter(([name]) => name !== group).map(([, count]) => count));
  if (most > (groups.get(group) ?? 0) + 1) return false;
  const ofGroup = lanes.filter((one) => one.lane.group === group && one.lane.lane !== lane);
  return Math.max(0, ...ofGroup.map(({ count }) => count)) <= countOf(lane) + 1;
}

/** The lanes with the most tasks in the group with the most waiting tasks, in the order of their turns. */
export function listLongestLanes({ groups, lanes }: TaskCounts): Lane[] {
  const most = Math.max(0, ...groups.values());
  const ofGroup = lanes.filter(({ lane: { group } }) => groups.get(group) === most);
  const longest = Math.max(0, ...ofGroup.map(({ count }) => count));
  return ofGroup.filter(({ count }) => count === longest).map(({ lane }) => lane);
}
