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
  /** For whom it is no news. */
  readonly read_for?: readonly number[];
  /** If given, it is news for these alone. */
  readonly unread_only_for?: readonly number[];
}

/** Writes to a stream in the server's own name: nothing is checked, and everyone hears of it as of any message. */
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
 * Writes to each of these people in the server's own name; how many there are adds no statements. `known` are the people
 * and streams that the texts name: the caller knows them already.
 */
export async function sendDirectAsNotificationBot(
  ctx: PublicCtx,
  notices: readonly { to: User; content: string }[],
  known: Pick<RenderFacts, 'people' | 'streams'>,
): Promise<{ id: number }[]> {
  if (notices.length === 0) return [];
  const bot = await asNotificationBot(ctx);
  const texts = notices.map(({ content }) => content);
  // These letters name people and streams; nothing in them is meant for a linkifier.
  const facts = collectFacts({ ...known, emoji: await listEmojiFor(ctx, texts) });
  // Many people are often told the same.
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
