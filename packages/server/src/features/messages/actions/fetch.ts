import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload, Schema } from '../../../core/contract.ts';
import { refuse } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import { pageBudget, topicLinks } from '../../../text/markdown.ts';
import { linkifiersFor } from '../../linkifiers/index.ts';
import { requireMessage } from '../access.ts';
import { presentMessage } from '../present.ts';
import { findNewestReceived, listSeenMessages, type SeenMessage } from '../queries/fetch.ts';
import { listReactions } from '../queries/reactions.ts';
import { loadEdits, presentEdits } from './history.ts';
import { requireNarrow } from './narrow.ts';
import { checkAnchor, findPage } from './page.ts';
import { type Marker, markerFor } from './search.ts';

type Given = Params<'getMessages'>;

/** A page of messages around an anchor. */
export async function getMessages(ctx: Ctx, given: Given): Promise<Payload<'getMessages'>> {
  checkWindow(given);
  const terms = await requireNarrow(ctx, given.narrow ?? []);
  const { anchor, ...page } = await findPage(ctx, given, terms);
  const messages = await listSeenMessages(ctx.db, ctx.me, page.ids);
  const marker = await markerFor(ctx.db, terms, messages);
  return {
    messages: await presentAll(ctx, messages, given, marker),
    anchor,
    found_anchor: page.found_anchor,
    found_oldest: page.found_oldest,
    found_newest: page.found_newest,
    history_limited: false,
  };
}

function checkWindow(given: Given): void {
  const { num_before, num_after } = given;
  if (num_before + num_after > bounds.messages) {
    const [var_name, bad_value] =
      num_before > bounds.messages ? (['num_before', num_before] as const) : (['num_after', num_after] as const);
    const msg = `${var_name}: num_before and num_after together are at most ${bounds.messages}.`;
    refuse('REQUEST_VARIABLE_INVALID', msg, { var_name, bad_value });
  }
  checkAnchor(given);
}

type Look = { apply_markdown: boolean; client_gravatar: boolean };

/** Messages as documented, with what was done to them, in as many statements for a page as for one. */
async function presentAll(
  ctx: Ctx,
  messages: readonly SeenMessage[],
  look: Look,
  marker?: Marker,
): Promise<Schema<'Message'>[]> {
  const ids = messages.map(({ id }) => id);
  const reactions = await listReactions(ctx.db, ctx.realm.id, ids);
  const edits = await loadEdits(ctx, messages);
  const links = await loadTopicLinks(ctx, messages);
  return messages.map((message) => ({
    ...presentMessage(
      ctx.realm,
      { ...message, reactions: reactions.get(message.id), topic_links: links.get(message.topic ?? '') },
      look,
    ),
    flags: message.flags,
    ...presentEdits(ctx, edits.get(message.id) ?? []),
    ...marker?.(message),
  }));
}

/** The links of each topic of a page. The newest messages come first if there are more than can be looked at. */
async function loadTopicLinks(
  ctx: Ctx,
  messages: readonly SeenMessage[],
): Promise<Map<string, Schema<'Message'>['topic_links']>> {
  const topics = new Set(messages.map(({ topic }) => topic ?? '').reverse());
  topics.delete('');
  if (topics.size === 0) return new Map();
  const linkifiers = await linkifiersFor(ctx);
  const budget = pageBudget();
  return new Map([...topics].map((topic) => [topic, topicLinks(topic, linkifiers, budget)]));
}

export async function getMessage(
  ctx: Ctx,
  { message_id, apply_markdown }: Params<'getMessage'>,
): Promise<Payload<'getMessage'>> {
  const message = await requireMessage(ctx, message_id);
  const [shown] = await presentAll(ctx, [message], { apply_markdown, client_gravatar: false });
  if (!shown) throw new Error('unreachable');
  return { message: shown, raw_content: message.content };
}

/** The part of `POST /register` about messages. */
export async function messageState({ db, me }: Ctx): Promise<{ max_message_id: number }> {
  return { max_message_id: (await findNewestReceived(db, me)) ?? -1 };
}
