import type { Ctx } from '../../../core/context.ts';
import { stateQuery } from '../../../core/state-query.ts';
import { presentStatus } from '../present.ts';
import { jsonStatuses, type Status } from '../queries.ts';

/**
 * The part of `POST /register` about statuses. `visible` lists the users whom the caller can see; null for all. The query reads
 * those of all users, so that it is the same for all callers.
 */
export const statusState = ({ realm }: Ctx, visible: readonly number[] | null) =>
  stateQuery(jsonStatuses(realm.id), (found: Status[]) => {
    const seen = visible && new Set(visible);
    const statuses = seen ? found.filter(({ user_id }) => seen.has(user_id)) : found;
    return { user_status: Object.fromEntries(statuses.map((status) => [status.user_id, presentStatus(status)])) };
  });
