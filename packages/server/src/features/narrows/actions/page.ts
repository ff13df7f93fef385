import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { fail, failInvalid } from '../../../core/errors.ts';
import { type ResolvedTerm, toNarrowSql } from '../queries/narrow.ts';
import { type FoundMessage, findFirstUnread, listPage } from '../queries/page.ts';
import { BEYOND_NEWEST, type MessagePage, toMessagePage, toPageWindow } from '../rules/page.ts';

/** The number of messages, and the anchor around which they are. */
export type PageAnchorParams = Pick<
  Params<'updateMessageFlagsForNarrow'>,
  'anchor' | 'num_before' | 'num_after' | 'include_anchor'
>;

type AnchorParams = Pick<Params<'getMessages'>, 'anchor' | 'use_first_unread_anchor'>;

/** Returns the anchor of the request, from either of its two parameters. */
export function requireAnchor({ anchor, use_first_unread_anchor }: AnchorParams): PageAnchorParams['anchor'] {
  if (use_first_unread_anchor) return 'first_unread';
  return anchor ?? fail('REQUEST_VARIABLE_MISSING', 'Parameter "anchor" is missing.', { var_name: 'anchor' });
}

export function checkAnchor({ num_before, num_after, include_anchor }: Omit<PageAnchorParams, 'anchor'>): void {
  if (include_anchor || num_before === 0 || num_after === 0) return;
  failInvalid('include_anchor: the anchor can only be left out at an end of the window.');
}

/** The requested messages of a narrow, and the id that the anchor resolved to. */
export async function findPage(
  ctx: Ctx,
  request: PageAnchorParams,
  terms: readonly ResolvedTerm[],
): Promise<{ readonly anchor: number; readonly page: MessagePage; readonly found: readonly FoundMessage[] }> {
  const anchor = await anchorOf(ctx, request.anchor, terms);
  const found = await listPage(ctx.db, toNarrowSql(ctx.me, terms), toPageWindow({ ...request, anchor }));
  const ids = found.map(({ id }) => id);
  return { anchor, page: toMessagePage(ids, { ...request, anchor }), found };
}

async function anchorOf(ctx: Ctx, anchor: PageAnchorParams['anchor'], terms: readonly ResolvedTerm[]): Promise<number> {
  if (typeof anchor === 'number') return anchor;
  if (anchor === 'oldest') return 0;
  return anchor === 'newest' ? BEYOND_NEWEST : ((await findFirstUnread(ctx.db, ctx.me, terms)) ?? BEYOND_NEWEST);
}
