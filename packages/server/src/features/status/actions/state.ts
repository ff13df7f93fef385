import type { Ctx } from '../../../core/context.ts';
import { stateQuery } from '../../../core/state-query.ts';
import { presentStatus } from '../present.ts';
import { jsonStatuses, type Status } from '../queries.ts';

/** The part of `POST /register` about statuses. `visible` lists the users whom the caller can see; null for all. */
export const statusState = ({ realm }: Ctx, visible: readonly number[] | null) =>
  stateQuery(jsonStatuses(realm.id, visible), (found: Status[]) => ({
    user_status: Object.fromEntries(found.map((status) => [status.user_id, presentStatus(status)])),
  }));
