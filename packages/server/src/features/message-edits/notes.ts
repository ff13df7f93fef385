// What the Notification Bot says when messages move.
import type { User } from '../../core/context.ts';
import { narrowLink } from '../../text/links.ts';
import { renderSilentMention } from '../../text/quotes.ts';

type Actor = Pick<User, 'full_name' | 'id'>;

/** A topic of a stream, as notes name it. */
export interface TopicReference {
  readonly stream: { readonly id: number; readonly name: string };
  readonly topic: string;
}

/** What was moved, for those who read of it. */
export interface MovedNote {
  readonly count: number;
  /** Whether nothing is left of the old topic. */
  readonly whole: boolean;
}

export const renderResolvedNote = (me: Actor, state: 'resolved' | 'unresolved'): string =>
  `${renderSilentMention(me)} has marked this topic as ${state}.`;

/** What a notice calls a topic of a private stream: neither its name nor that of the stream. */
export const OTHER_STREAM = 'another stream';

/** For the old topic: what left, and where it is now. */
export function renderMovedAwayNote(me: Actor, { whole, count }: MovedNote, to: string): string {
  if (whole) return `This topic was moved to ${to} by ${renderSilentMention(me)}.`;
  return `${count === 1 ? 'A message was' : `${count} messages were`} moved from this topic to ${to} by ${renderSilentMention(me)}.`;
}

interface Came extends MovedNote {
  /** Whether the new topic had no messages before. */
  readonly was_empty: boolean;
  /** The address of the message, when it is one. */
  readonly message: string;
}

/** For the new topic: what came, and from where. */
export function renderMovedHereNote(me: Actor, { whole, was_empty, count, message }: Came, from: string): string {
  if (whole && was_empty) return `This topic was moved here from ${from} by ${renderSilentMention(me)}.`;
  const what = count === 1 ? `[A message](${message}) was` : `${count} messages were`;
  return `${what} moved here from ${from} by ${renderSilentMention(me)}.`;
}

/** A link to a topic. A name that would break out of the short form is linked by its address. */
export function renderTopicLink(realm_url: string, { stream, topic }: TopicReference): string {
  const isPlain = !/[>*`\\]/.test(stream.name) && !/\*\*|`|\\|\*$/.test(topic);
  if (isPlain) return `#**${stream.name}>${topic}**`;
  return `[${escaped(`#${stream.name} > ${topic}`)}](${realm_url}${narrowLink(stream, topic)})`;
}

export const getMessageUrl = (realm_url: string, { stream, topic }: TopicReference, message_id: number): string =>
  `${realm_url}${narrowLink(stream, topic)}/near/${message_id}`;

// With a backslash before it, no sign begins anything in Markdown, mentions included.
const escaped = (text: string): string => text.replace(/[\\`*_{}[\]()#+\-.!|<>@:~$]/g, '\\$&');
