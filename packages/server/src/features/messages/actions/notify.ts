import type { Ctx, PublicCtx, User } from '../../../core/context.ts';
import { collectFacts, type RenderFacts, render } from '../../../text/markdown.ts';
import { listEmojiFor } from '../../emoji/index.ts';
import { findAndLockStream } from '../../streams/index.ts';
import { findNotificationBot } from '../../users/index.ts';
import { compose } from './compose.ts';
import { postDirect, postToStream } from './post.ts';

const CLIENT = 'ParleyServer';

async function asNotificationBot(ctx: PublicCtx): Promise<Ctx> {
  return { ...ctx, me: await findNotificationBot(ctx.db, ctx.realm.id), client: CLIENT };
}

export interface NotificationMessage {
  readonly stream_id: number;
  readonly topic: string;
  readonly content: string;
  /** Users for whom the message starts as read. */
  readonly read_for?: readonly number[];
  /** If present, the message is unread for these users only. */
  readonly unread_only_for?: readonly number[];
}

/**
 * Sends a message to a stream in the server's own name: without permission checks, with the same events as any message.
 */
export async function sendAsNotificationBot(
  ctx: PublicCtx,
  { stream_id, topic, content, read_for = [], unread_only_for }: NotificationMessage,
): Promise<{ id: number }> {
  const bot = await asNotificationBot(ctx);
  const stream = await findAndLockStream(bot, stream_id);
  if (!stream) throw new Error(`There is no stream ${stream_id} to write to.`);
  const [text] = await compose(bot, [content]);
  if (!text) throw new Error('unreachable');
  const { id } = await postToStream(bot, { stream, topic, text, read_for, unread_only_for, client: CLIENT });
  return { id };
}

/**
 * Sends a direct message to each of these users in the server's own name; the number of users adds no statements.
 * `known` are the users and streams that the texts name, which the caller has loaded already.
 */
export async function sendDirectAsNotificationBot(
  ctx: PublicCtx,
  notices: readonly { to: User; content: string }[],
  known: Pick<RenderFacts, 'users' | 'streams'>,
): Promise<{ id: number }[]> {
  if (notices.length === 0) return [];
  const bot = await asNotificationBot(ctx);
  const texts = notices.map(({ content }) => content);
  // These messages name users and streams; linkifiers do not apply to them.
  const facts = collectFacts({ ...known, emoji: await listEmojiFor(ctx, texts) });
  // Many users often receive the same text: it is rendered once.
  const rendered = new Map([...new Set(texts)].map((content) => [content, render(content, facts)]));
  const posts = notices.map(({ to, content }) => ({
    members: [bot.me, to],
    text: {
      content,
      ...(rendered.get(content) ?? render(content, facts)),
      group_member_ids: [],
      linkifiers: [],
    },
    read_for: [],
  }));
  const ids = await postDirect(bot, posts, { client: CLIENT });
  return ids.map((id) => ({ id }));
}
