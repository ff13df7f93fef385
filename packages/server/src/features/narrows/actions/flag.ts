import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { bounds } from '../../../core/limits.ts';
import { changeFlag, requireFlagChange } from '../../flags/index.ts';
import { lowerLimits } from '../rules/page.ts';
import { requireNarrow } from './narrow.ts';
import { checkAnchor, findPage } from './page.ts';

type FlagNarrowParams = Params<'updateMessageFlagsForNarrow'>;

/**
 * Sets or clears a flag on a page of a narrow. The operation is documented with the flags; it is here because narrows
 * belong to messages.
 */
export async function updateMessageFlagsForNarrow(
  ctx: Ctx,
  { flag, op, narrow, ...request }: FlagNarrowParams,
): Promise<Payload<'updateMessageFlagsForNarrow'>> {
  const change = requireFlagChange({ flag, op });
  checkAnchor(request);
  const terms = await requireNarrow(ctx, narrow);
  const { page } = await findPage(ctx, { ...request, ...lowerLimits(request, bounds.flags_narrow) }, terms);
  const changed = await changeFlag(ctx, change, page.ids);
  return {
    processed_count: page.ids.length,
    updated_count: changed.length,
    first_processed_id: page.ids.at(0) ?? null,
    last_processed_id: page.ids.at(-1) ?? null,
    found_oldest: page.found_oldest,
    found_newest: page.found_newest,
  };
}
