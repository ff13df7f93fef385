import type { Ctx, User } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import type { Audience } from '../../../core/event-log/audience.ts';
import { collectFacts, render } from '../../../text/markdown.ts';
import { STREAM_EVENTS, type Stream } from '../../streams/index.ts';
import { findNotificationBot, getApiEmail } from '../../users/index.ts';
import { renderCreationNotice } from '../notices.ts';
import { type FirstMessage, type InsertedFirstMessage, insertFirstMessages } from '../queries/first-messages.ts';

type Message = Schema<'Message'>;

const CLIENT = 'ParleyServer';

/**
 * Sends the first message of new streams as the Notification Bot, and returns its id for each. It does not use the
 * general path of sending: a thousand new streams take as many statements as one, and a description mentions no user.
 */
export async function sendFirstMessages(ctx: Ctx, created: readonly Stream[]): Promise<Map<number, number>> {
  if (created.length === 0) return new Map();
  const bot = await findNotificationBot(ctx.db, ctx.realm.id);
  const notes = new Map(created.map((stream) => [stream.id, noteFor(ctx.me, stream)]));
  const writing = {
    realm_id: ctx.realm.id,
    topic: STREAM_EVENTS,
    sender_id: bot.id,
    reader_id: ctx.me.id,
    client: CLIENT,
    now: ctx.now,
  };
  const texts = new Map(
    (await insertFirstMessages(ctx.db, writing, [...notes.values()])).map((one) => [one.stream_id, one]),
  );
  for (const stream of created) {
    const [note, inserted] = [notes.get(stream.id), texts.get(stream.id)];
    if (note && inserted) emitFirstMessage(ctx, stream, inserted, { note, bot });
  }
  return new Map([...texts].map(([stream_id, { id }]) => [stream_id, id]));
}

function noteFor(me: User, stream: Stream): FirstMessage {
  const content = renderCreationNotice(me, stream);
  const { html, has_link, has_image, has_attachment } = render(content, collectFacts({ users: [me] }));
  return { stream_id: stream.id, content, rendered_content: html, has_link, has_image, has_attachment };
}

interface FirstMessageSource {
  readonly note: FirstMessage;
  readonly bot: User;
}

function emitFirstMessage(
  ctx: Ctx,
  stream: Stream,
  { id, seq, is_read }: InsertedFirstMessage,
  { note, bot }: FirstMessageSource,
): void {
  const message: Message = {
    id,
    sender_id: bot.id,
    sender_full_name: bot.full_name,
    sender_email: getApiEmail(ctx.realm, bot),
    sender_realm_str: ctx.realm.subdomain,
    content: note.rendered_content,
    content_type: 'text/html',
    timestamp: Math.floor(ctx.now.getTime() / 1000),
    client: CLIENT,
    subject: STREAM_EVENTS,
    topic_links: [],
    type: 'stream',
    stream_id: stream.id,
    display_recipient: stream.name,
    recipient_id: stream.id,
    avatar_url: null,
    is_me_message: false,
    reactions: [],
    submessages: [],
  };
  const metadata = { raw_content: note.content };
  const audience: Audience = {
    conversation: { id: stream.id, seq },
    ...(!stream.invite_only && { public_stream: stream.id }),
  };
  const reader = is_read ? [ctx.me.id] : [];
  ctx.emit({ type: 'message', message, flags: [] }, { ...audience, except: reader }, metadata);
  if (!is_read) return;
  ctx.emit(
    { type: 'message', message, flags: ['read'] },
    { users: reader, users_of: { id: stream.id, seq } },
    metadata,
  );
}
