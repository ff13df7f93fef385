import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { fail, failInvalid } from '../../../core/errors.ts';
import type { UserNaming } from '../../../core/named-users.ts';
import { type ResolvedTerm, toNarrowSql } from '../queries/narrow.ts';
import { findFirstUnread } from '../queries/page.ts';
import { CHUNK, type FoundPage, loadPage } from '../queries/page-messages.ts';
import { listNarrowPage } from '../queries/search-page.ts';
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
interface PageAround {
  readonly anchor: number;
  readonly page: MessagePage;
}

export async function findPage(
  ctx: Ctx,
  request: PageAnchorParams,
  terms: readonly ResolvedTerm[],
): Promise<PageAround> {
  const anchor = await anchorOf(ctx, request.anchor, terms);
  const found = await listNarrowPage(ctx.db, ctx.me, terms, toPageWindow({ ...request, anchor }));
  return { anchor, page: pageOf(found, { ...request, anchor }) };
}

/** Like `findPage`, with the messages if all of them are loaded in one statement. */
export async function findPageWithMessages(
  ctx: Ctx<UserNaming>,
  request: PageAnchorParams & Pick<Params<'getMessages'>, 'apply_markdown'>,
  terms: readonly ResolvedTerm[],
): Promise<PageAround & FoundPage> {
  const anchor = await anchorOf(ctx, request.anchor, terms);
  const [narrow, ...others] = toNarrowSql(ctx.me, terms);
  const window = toPageWindow({ ...request, anchor });
  const texts = { apply_markdown: request.apply_markdown };
  const isOne = narrow?.isIndexed && others.length === 0 && window.num_before + window.num_after <= CHUNK.messages;
  const whole = isOne ? await loadPage(ctx, narrow, window, texts) : undefined;
  const { found, loaded } = whole ?? { found: await listNarrowPage(ctx.db, ctx.me, terms, window) };
  const page = pageOf(found, { ...request, anchor });
  const ids = new Set(page.ids);
  // The window has one message more on each side.
  const onPage = loaded && { ...loaded, messages: loaded.messages.filter(({ id }) => ids.has(id)) };
  return { anchor, page, found, loaded: onPage };
}

const pageOf = (found: FoundPage['found'], request: PageAnchorParams & { readonly anchor: number }): MessagePage =>
  toMessagePage(
    found.map(({ id }) => id),
    request,
  );

async function anchorOf(ctx: Ctx, anchor: PageAnchorParams['anchor'], terms: readonly ResolvedTerm[]): Promise<number> {
  if (typeof anchor === 'number') return anchor;
  if (anchor === 'oldest') return 0;
  return anchor === 'newest' ? BEYOND_NEWEST : ((await findFirstUnread(ctx.db, ctx.me, terms)) ?? BEYOND_NEWEST);
}
