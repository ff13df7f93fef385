import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { refuse } from '../../../core/errors.ts';
import { type FoundMessage, findFirstUnread, listPage } from '../queries/fetch.ts';
import { type Resolved, scopeOf } from '../queries/narrow.ts';
import { type Page, pageOf, windowOf } from '../rules/page.ts';

/** How many messages, and around which. */
export type Asked = Pick<Params<'getMessages'>, 'anchor' | 'num_before' | 'num_after' | 'include_anchor'>;

export function checkAnchor({ num_before, num_after, include_anchor }: Asked): void {
  if (include_anchor || num_before === 0 || num_after === 0) return;
  refuse('BAD_REQUEST', 'include_anchor: the anchor can only be left out at an end of the window.');
}

/** The messages of a narrow that are asked for, and the id that the anchor came to mean. */
export async function findPage(
  ctx: Ctx,
  asked: Asked,
  terms: readonly Resolved[],
): Promise<{ readonly anchor: number; readonly page: Page; readonly found: readonly FoundMessage[] }> {
  const anchor = await anchorOf(ctx, asked.anchor, terms);
  const found = await listPage(ctx.db, scopeOf(ctx.me, terms), windowOf({ ...asked, anchor }));
  const ids = found.map(({ id }) => id);
  return { anchor, page: pageOf(ids, { ...asked, anchor }), found };
}

/** No message is newer than this. */
const NEWEST = Number.MAX_SAFE_INTEGER;

async function anchorOf(ctx: Ctx, anchor: Asked['anchor'], terms: readonly Resolved[]): Promise<number> {
  if (typeof anchor === 'number') return anchor;
  if (anchor === 'oldest') return 0;
  return anchor === 'newest' ? NEWEST : ((await findFirstUnread(ctx.db, ctx.me, terms)) ?? NEWEST);
}
