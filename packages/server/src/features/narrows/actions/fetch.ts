import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { fail } from '../../../core/errors.ts';
import type { HandlerResponse } from '../../../core/handler.ts';
import { bounds } from '../../../core/limits.ts';
import type { UserNaming } from '../../../core/named-users.ts';
import { requireValue } from '../../../core/require-value.ts';
import type { ItemSerialization } from '../../../core/serialized-items.ts';
import { failUnknownMessage } from '../../messages/index.ts';
import { loadMessages } from '../queries/page-messages.ts';
import { fewest, pageWithout, sortByDistance } from '../rules/page.ts';
import { requireNarrow } from './narrow.ts';
import { checkAnchor, findPageWithMessages, requireAnchor } from './page.ts';
import { createPageBudget, createPresenter } from './present-message.ts';
import { presentPage } from './present-page.ts';

type GetMessagesParams = Params<'getMessages'>;

/** A page of messages around an anchor. */
export async function getMessages(
  ctx: Ctx<ItemSerialization & UserNaming>,
  params: GetMessagesParams,
): Promise<HandlerResponse<'getMessages'>> {
  const request = { ...params, anchor: requireAnchor(params) };
  checkWindow(params);
  const terms = await requireNarrow(ctx, params.narrow ?? []);
  const { anchor, page: all, found, loaded } = await findPageWithMessages(ctx, request, terms);
  const sizes = new Map(found.map(({ id, size }) => [id, size]));
  const order = sortByDistance(all.ids, anchor).map((id) => ({ id, size: sizes.get(id) ?? 0 }));
  const options = { look: params, terms, fewest: fewest(all.ids, anchor), loaded };
  const { messages, taken } = await presentPage(ctx, order, options);
  const page = pageWithout(all, new Set(order.slice(taken).map(({ id }) => id)));
  return {
    messages,
    anchor,
    found_anchor: page.found_anchor,
    found_oldest: page.found_oldest,
    found_newest: page.found_newest,
    history_limited: false,
  };
}

function checkWindow(params: GetMessagesParams): void {
  const { num_before, num_after } = params;
  if (num_before + num_after > bounds.messages) {
    const [var_name, bad_value] =
      num_before > bounds.messages ? (['num_before', num_before] as const) : (['num_after', num_after] as const);
    const msg = `${var_name}: num_before and num_after together are at most ${bounds.messages}.`;
    fail('REQUEST_VARIABLE_INVALID', msg, { var_name, bad_value });
  }
  checkAnchor(params);
}

export async function getMessage(
  ctx: Ctx<UserNaming>,
  { message_id, apply_markdown }: Params<'getMessage'>,
): Promise<Payload<'getMessage'>> {
  const loaded = await loadMessages(ctx, [message_id], { apply_markdown: false });
  const [message] = loaded.messages;
  if (!message) failUnknownMessage(message_id);
  const look = { apply_markdown, client_gravatar: false };
  const { present } = await createPresenter(ctx, loaded, { look, budget: createPageBudget() });
  return { message: present(message), raw_content: requireValue(message.content) };
}
