import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload, Schema } from '../../../core/contract.ts';
import { refuse } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import { requireMessage } from '../access.ts';
import { presentMessage } from '../present.ts';
import { findFirstUnread, findNewestReceived, listPage, listSeenMessages, type SeenMessage } from '../queries/fetch.ts';
import { type Resolved, scopeOf } from '../queries/narrow.ts';
import { pageOf, windowOf } from '../rules/page.ts';
import { requireNarrow } from './narrow.ts';
import { type Marker, markerFor } from './search.ts';

type Given = Params<'getMessages'>;

/** A page of messages around an anchor. */
export async function getMessages(ctx: Ctx, given: Given): Promise<Payload<'getMessages'>> {
  checkWindow(given);
  const terms = await requireNarrow(ctx, given.narrow ?? []);
  const anchor = await anchorOf(ctx, given.anchor, terms);
  const ids = await listPage(ctx.db, scopeOf(ctx.me, terms), windowOf({ ...given, anchor }));
  const page = pageOf(ids, { ...given, anchor });
  const messages = await listSeenMessages(ctx.db, ctx.me, page.ids);
  const marker = await markerFor(ctx.db, terms, messages);
  return {
    messages: messages.map((message) => present(ctx, message, given, marker)),
    anchor,
    found_anchor: page.found_anchor,
    found_oldest: page.found_oldest,
    found_newest: page.found_newest,
    history_limited: false,
  };
}

function checkWindow({ num_before, num_after, include_anchor }: Given): void {
  if (num_before + num_after > bounds.messages) {
    const [var_name, bad_value] =
      num_before > bounds.messages ? (['num_before', num_before] as const) : (['num_after', num_after] as const);
    const msg = `${var_name}: num_before and num_after together are at most ${bounds.messages}.`;
    refuse('REQUEST_VARIABLE_INVALID', msg, { var_name, bad_value });
  }
  if (include_anchor || num_before === 0 || num_after === 0) return;
  refuse('BAD_REQUEST', 'include_anchor: the anchor can only be left out at an end of the window.');
}

/** No message is newer than this. */
const NEWEST = Number.MAX_SAFE_INTEGER;

async function anchorOf(ctx: Ctx, anchor: Given['anchor'], terms: readonly Resolved[]): Promise<number> {
  if (typeof anchor === 'number') return anchor;
  if (anchor === 'oldest') return 0;
  return anchor === 'newest' ? NEWEST : ((await findFirstUnread(ctx.db, ctx.me, terms)) ?? NEWEST);
}

type Look = { apply_markdown: boolean; client_gravatar: boolean };

function present(ctx: Ctx, message: SeenMessage, look: Look, marker?: Marker): Schema<'Message'> {
  return { ...presentMessage(ctx.realm, message, look), flags: message.flags, ...marker?.(message) };
}

export async function getMessage(
  ctx: Ctx,
  { message_id, apply_markdown }: Params<'getMessage'>,
): Promise<Payload<'getMessage'>> {
  const message = await requireMessage(ctx, message_id);
  return { message: present(ctx, message, { apply_markdown, client_gravatar: false }), raw_content: message.content };
}

/** The part of `POST /register` about messages. */
export async function messageState({ db, me }: Ctx): Promise<{ max_message_id: number }> {
  return { max_message_id: (await findNewestReceived(db, me)) ?? -1 };
}
