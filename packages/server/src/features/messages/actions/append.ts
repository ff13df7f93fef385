import type { Ctx } from '../../../core/context.ts';
import type { Audience } from '../../../core/event-log/audience.ts';
import type { EventDeliveryMetadata } from '../../../core/event-log/delivery-metadata.ts';
import { listTopicLinks } from '../../../text/markdown.ts';
import { insertDefaultReadRanges, markSeqsRead } from '../../flags/index.ts';
import { linkUploads } from '../../uploads/index.ts';
import { type MessageUser, presentMessage } from '../present.ts';
import { insertFlags, insertMessages, type NewFlags, type NewMessage, runWrites } from '../queries/send.ts';
import { groupRecipientsByFlags, type RecipientFlags } from '../rules/flags.ts';
import type { Composed } from './compose.ts';

/** A message with its number in a conversation, before it is delivered. `ctx.me` is its sender. */
export interface PlacedMessage {
  readonly id: number;
  readonly conversation_id: number;
  readonly seq: number;
  readonly text: Composed;
  /** Undefined in direct conversations. */
  readonly stream?: { readonly name: string; readonly invite_only: boolean };
  readonly topic?: { readonly id: number; readonly name: string };
  readonly participants: readonly MessageUser[];
  readonly topic_wildcard_user_ids: readonly number[] | null;
  readonly concerned: RecipientFlags;
}

export interface SendContext {
  readonly client: string;
  /** The queue of the sender whose client shows the message already. */
  readonly local?: EventDeliveryMetadata['local'];
}

/** Inserts messages and emits their events. The number of recipients does not change the cost. */
export async function append(ctx: Ctx, placed: readonly PlacedMessage[], sending: SendContext): Promise<void> {
  for (const { concerned, conversation_id, seq } of placed) {
    if (concerned.unread_only_for) {
      await insertDefaultReadRanges(ctx.db, ctx.realm.id, {
        conversation_id,
        seq,
        except: [...concerned.unread_only_for],
      });
    }
    if (concerned.read.size === 0) continue;
    await markSeqsRead(ctx.db, ctx.realm.id, conversation_id, [...concerned.read], `{[${seq},${seq + 1})}`);
  }
  const linking = placed.map(({ id, text }) => ({ id, uploads: text.uploads }));
  let writes = listWrites(ctx, placed, sending);
  if (linking.some(({ uploads }) => uploads.length > 0)) {
    // Attachment links reference the messages, so the messages are inserted first.
    await runWrites(ctx.db, writes);
    writes = [];
  }
  for (const [n, one] of placed.entries()) emitMessage(ctx, one, sending, n === 0 ? writes : []);
  await linkUploads(ctx, linking);
}

function listWrites(ctx: Ctx, placed: readonly PlacedMessage[], sending: SendContext): Writes {
  const messages = placed.map((one) => rowOf(ctx, one, sending));
  const flags = placed.flatMap(({ id, concerned }) => flagsOf(concerned, id));
  const inserted = insertMessages(ctx.realm.id, messages, ctx.now);
  return flags.length === 0 ? [inserted] : [inserted, insertFlags(ctx.realm.id, flags)];
}

const flagsOf = ({ mentioned, alerted }: RecipientFlags, message_id: number): NewFlags[] =>
  [...new Set([...mentioned, ...alerted])].map((user_id) => ({
    message_id,
    user_id,
    mentioned: mentioned.has(user_id),
    has_alert_word: alerted.has(user_id),
  }));

function rowOf(
  ctx: Ctx,
  { id, conversation_id, seq, topic, text, concerned, topic_wildcard_user_ids }: PlacedMessage,
  { client }: SendContext,
): NewMessage {
  return {
    id,
    conversation_id,
    seq,
    topic_id: topic?.id ?? null,
    sender_id: ctx.me.id,
    content: text.content,
    rendered_content: text.html,
    client,
    is_me_message: text.is_me_message,
    has_link: text.has_link,
    has_image: text.has_image,
    has_attachment: text.has_attachment,
    stream_wildcard: concerned.stream_wildcard,
    topic_wildcard_user_ids,
  };
}

type Writes = NonNullable<EventDeliveryMetadata['writes']>;

/** One event for the recipients with the most common flags, and one for each other set of flags. */
function emitMessage(ctx: Ctx, placed: PlacedMessage, sending: SendContext, writes: Writes): void {
  const { common, special } = groupRecipientsByFlags(placed.concerned);
  const message = presentMessage(
    ctx.realm,
    {
      id: placed.id,
      conversation_id: placed.conversation_id,
      sender: ctx.me,
      content: placed.text.content,
      rendered_content: placed.text.html,
      client: sending.client,
      sent_at: Math.floor(ctx.now.getTime() / 1000),
      is_me_message: placed.text.is_me_message,
      stream_name: placed.stream?.name ?? null,
      topic: placed.topic?.name ?? null,
      participants: placed.participants,
    },
    { apply_markdown: true, client_gravatar: true },
    { topic_links: listTopicLinks(placed.topic?.name ?? '', placed.text.linkifiers) },
  );
  const metadata = { raw_content: placed.text.content, ...(sending.local && { local: sending.local }) };
  const apart = special.flatMap(({ user_ids }) => user_ids);
  ctx.emit({ type: 'message', message, flags: common }, audienceOf(placed, apart), { ...metadata, writes });
  const users_of = { id: placed.conversation_id, seq: placed.seq };
  for (const { flags, user_ids: users } of special)
    ctx.emit({ type: 'message', message, flags }, { users, ...(placed.stream && { users_of }) }, metadata);
}

function audienceOf({ conversation_id, seq, stream, participants }: PlacedMessage, apart: readonly number[]): Audience {
  const except = apart.length > 0 ? { except: apart } : {};
  if (!stream) return { users: participants.map(({ id }) => id), ...except };
  return {
    conversation: { id: conversation_id, seq },
    ...(!stream.invite_only && { public_stream: conversation_id }),
    ...except,
  };
}
