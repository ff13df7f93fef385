import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { visibleUserIds } from '../../users/index.ts';
import { presentStatus } from '../present.ts';
import { listStatuses } from '../queries.ts';

/** The part of `POST /register` about statuses: those of the people whom the caller sees. */
export async function statusState(ctx: Ctx): Promise<Required<Pick<Schema<'State'>, 'user_status'>>> {
  const visible = await visibleUserIds(ctx);
  const statuses = await listStatuses(ctx.db, ctx.realm.id, visible === 'all' ? undefined : [...visible]);
  return { user_status: Object.fromEntries(statuses.map((status) => [status.user_id, presentStatus(status)])) };
}
