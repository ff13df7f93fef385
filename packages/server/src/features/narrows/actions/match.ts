import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { failInvalid } from '../../../core/errors.ts';
import { getResponseBudget } from '../../../core/response-size.ts';
import { escapeHtml } from '../../../text/escape-html.ts';
import { listSeenMessages } from '../../messages/index.ts';
import { toNarrowSql } from '../queries/narrow.ts';
import { listAmong } from '../queries/page.ts';
import { requireNarrow } from './narrow.ts';
import { createMatchMarker } from './search.ts';

type Matches = Payload<'matchNarrow'>['messages'];

/**
 * Returns which of these messages a narrow selects, with the words of its search highlighted
 * (docs/behaviour/messages.md#match-a-narrow).
 */
export async function matchNarrow(ctx: Ctx, { msg_ids, narrow }: Params<'matchNarrow'>): Promise<Matches> {
  const terms = await requireNarrow(ctx, narrow);
  const found = await listAmong(ctx.db, toNarrowSql(ctx.me, terms), msg_ids);
  if (found.reduce((sum, { size }) => sum + size, 0) > getResponseBudget('matchNarrow'))
    failInvalid(
      `msg_ids: these messages are larger than ${getResponseBudget('matchNarrow')} bytes together; ask about fewer.`,
    );
  const ids = found.map(({ id }) => id);
  const messages = await listSeenMessages(ctx.db, ctx.me, ids);
  const marker = await createMatchMarker(ctx.db, terms, messages);
  return Object.fromEntries(
    messages.map((message) => [
      message.id,
      marker?.(message) ?? {
        match_content: message.rendered_content,
        match_subject: escapeHtml(message.topic ?? ''),
      },
    ]),
  );
}
