// Texts of the Notification Bot about moved messages.
import type { User } from '../../core/context.ts';
import { narrowLink } from '../../text/links.ts';
import { renderSilentMention } from '../../text/quotes.ts';

type Actor = Pick<User, 'full_name' | 'id'>;

/** A topic of a stream, as notices name it. */
export interface TopicReference {
  readonly stream: { readonly id: number; readonly name: string };
  readonly topic: string;
}

/** The facts of a move that the notices contain. */
export interface MoveNoticeFacts {
  readonly count: number;
  /** Whether the old topic has no messages left. */
  readonly whole: boolean;
}

export const renderResolvedNotice = (me: Actor, state: 'resolved' | 'unresolved'): string =>
  `${renderSilentMention(me)} has marked this topic as ${state}.`;

/** The name that notices give to a topic of a private stream: it reveals neither the topic nor the stream. */
export const OTHER_STREAM = 'another stream';

/** The notice in the old topic: what moved, and where it is now. */
export function renderMovedAwayNotice(me: Actor, { whole, count }: MoveNoticeFacts, to: string): string {
  if (whole) return `This topic was moved to ${to} by ${renderSilentMention(me)}.`;
  return `${count === 1 ? 'A message was' : `${count} messages were`} moved from this topic to ${to} by ${renderSilentMention(me)}.`;
}

interface Came extends MoveNoticeFacts {
  /** Whether the new topic had no messages before. */
  readonly was_empty: boolean;
  /** The URL of the message, when it is a single one. */
  readonly message: string;
}

/** The notice in the new topic: what moved here, and from where. */
export function renderMovedHereNotice(me: Actor, { whole, was_empty, count, message }: Came, from: string): string {
  if (whole && was_empty) return `This topic was moved here from ${from} by ${renderSilentMention(me)}.`;
  const what = count === 1 ? `[A message](${message}) was` : `${count} messages were`;
  return `${what} moved here from ${from} by ${renderSilentMention(me)}.`;
}

/** A link to a topic. A name that would end the short form early is linked by its URL. */
export function renderTopicLink(realm_url: string, { stream, topic }: TopicReference): string {
  const isPlain = !/[>*`\\]/.test(stream.name) && !/\*\*|`|\\|\*$/.test(topic);
  if (isPlain) return `#**${stream.name}>${topic}**`;
  return `[${escaped(`#${stream.name} > ${topic}`)}](${realm_url}${narrowLink(stream, topic)})`;
}

export const getMessageUrl = (realm_url: string, { stream, topic }: TopicReference, message_id: number): string =>
  `${realm_url}${narrowLink(stream, topic)}/near/${message_id}`;

// After a backslash, no character has a meaning in Markdown, mentions included.
const escaped = (text: string): string => text.replace(/[\\`*_{}[\]()#+\-.!|<>@:~$]/g, '\\$&');
