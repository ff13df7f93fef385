import { LRUCache } from 'lru-cache';
import type { Ctx } from '../../../core/context.ts';
import type { NamedUser } from '../../../core/named-users.ts';
import type { ItemSerialization } from '../../../core/serialized-items.ts';
import type { MessageFormat, PresentableMessage, ShownMessage } from '../../messages/index.ts';
import type { MessageJson } from '../rules/response-room.ts';
import type { Presenter } from './present-message.ts';

/** The JSON of a message without its flags, which are last, and all that it was made of. */
interface SerializedMessage {
  readonly host: string;
  readonly subdomain: string;
  readonly message: PresentableMessage;
  readonly json: string;
}

/** Characters of all that is remembered: the JSON of messages, and the texts that it was made of. */
const REMEMBERED = 8 * 1024 * 1024;
/** The most characters of a text in such a message. */
const LONG = 16 * 1024;

/**
 * Messages are read by many, and only their flags differ for each: to validate and serialize the rest again took a tenth of the CPU time of a
 * page. An entry is used only if the message is still made of the same, so none has to expire.
 */
const remembered = new LRUCache<number, SerializedMessage>({
  maxSize: REMEMBERED,
  sizeCalculation: ({ json, message: { content, rendered_content } }) =>
    json.length + rendered_content.length + (content?.length ?? 0),
});

type Comparisons<T, Field extends keyof T> = { readonly [F in Field]: (one: T, other: T) => boolean };

/** What the JSON of a message in a stream shows of it, besides its sender. */
const sameFields: Comparisons<PresentableMessage, Exclude<keyof PresentableMessage, 'sender' | 'participants'>> = {
  id: (one, other) => one.id === other.id,
  conversation_id: (one, other) => one.conversation_id === other.conversation_id,
  content: (one, other) => one.content === other.content,
  rendered_content: (one, other) => one.rendered_content === other.rendered_content,
  client: (one, other) => one.client === other.client,
  sent_at: (one, other) => one.sent_at === other.sent_at,
  is_me_message: (one, other) => one.is_me_message === other.is_me_message,
  stream_name: (one, other) => one.stream_name === other.stream_name,
  topic: (one, other) => one.topic === other.topic,
};

const sameSender: Comparisons<NamedUser, keyof NamedUser> = {
  id: (one, other) => one.id === other.id,
  full_name: (one, other) => one.full_name === other.full_name,
  delivery_email: (one, other) => one.delivery_email === other.delivery_email,
  email_address_visibility: (one, other) => one.email_address_visibility === other.email_address_visibility,
  avatar_key: (one, other) => one.avatar_key === other.avatar_key,
};

const [comparisons, senderComparisons] = [Object.values(sameFields), Object.values(sameSender)];

function isMadeOf(known: PresentableMessage, message: PresentableMessage): boolean {
  for (const isSame of comparisons) if (!isSame(known, message)) return false;
  return known.sender === message.sender || senderComparisons.every((isSame) => isSame(known.sender, message.sender));
}

/** Makes a function that returns the JSON of a message as a page shows it, valid as the document says. */
export function createMessageSerializer(
  { realm, server }: Ctx<ItemSerialization>,
  { apply_markdown, client_gravatar }: MessageFormat,
  { present, isPlain }: Presenter,
): (message: ShownMessage) => MessageJson {
  const { host, subdomain } = realm;
  const format = (apply_markdown ? 2 : 0) + (client_gravatar ? 1 : 0);
  const isCurrent = (known: SerializedMessage, message: ShownMessage) =>
    known.host === host && known.subdomain === subdomain && isMadeOf(known.message, message);
  return (message) => {
    if (!isPlain(message) || message.rendered_content.length > LONG)
      return server.serializeItem('getMessages', present(message));
    const key = 4 * message.id + format;
    const known = remembered.get(key);
    if (known && isCurrent(known, message)) return withFlags(known.json, message.flags);
    const text = server.stringifyItem('getMessages', present(message));
    const json = text.slice(0, text.lastIndexOf(FLAGS));
    remembered.set(key, { host, subdomain, message, json });
    return text;
  };
}

const FLAGS = ',"flags":[';

const withFlags = (json: string, flags: ShownMessage['flags']): string =>
  flags.length === 0 ? `${json}${FLAGS}]}` : `${json}${FLAGS}"${flags.join('","')}"]}`;
