import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { listAmong, listSeenMessages } from '../queries/fetch.ts';
import { scopeOf } from '../queries/narrow.ts';
import { escapeHtml } from '../rules/highlight.ts';
import { requireNarrow } from './narrow.ts';
import { markerFor } from './search.ts';

type Matches = Payload<'matchNarrow'>['messages'];

/** Which of these messages a narrow selects, and where they have the words it searches for (behaviour 6.2). */
export async function matchNarrow(ctx: Ctx, { msg_ids, narrow }: Params<'matchNarrow'>): Promise<Matches> {
  const terms = await requireNarrow(ctx, narrow);
  const ids = await listAmong(ctx.db, scopeOf(ctx.me, terms), msg_ids);
  const messages = await listSeenMessages(ctx.db, ctx.me, ids);
  const marker = await markerFor(ctx.db, terms, messages);
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
