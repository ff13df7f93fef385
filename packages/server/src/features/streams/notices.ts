// Texts of the Notification Bot about changes of a stream.
import type { User } from '../../core/context.ts';
import { quoteDescription, quoteName, renderSilentMention } from '../../text/quotes.ts';
import type { StreamProperties } from './rules/change.ts';

/** The topic of these messages. */
export const STREAM_EVENTS = 'stream events';

type Actor = Pick<User, 'full_name' | 'id'>;

const posters: Readonly<Record<number, string>> = {
  1: 'everyone',
  2: 'administrators only',
  3: 'full members only',
  4: 'moderators and administrators only',
};

/** One message about all changes of a request, with old and new values; undefined when no change is reported. */
export function renderChangeNotice(me: Actor, before: StreamProperties, after: StreamProperties): string | undefined {
  const sentences = [
    noteChange(me, 'the name', quoteName(before.name), quoteName(after.name)),
    noteDescriptionChange(me, before, after),
    noteChange(me, 'the privacy', `**${privacyOf(before)}**`, `**${privacyOf(after)}**`),
    noteChange(
      me,
      'who can post',
      `**${posters[before.stream_post_policy]}**`,
      `**${posters[after.stream_post_policy]}**`,
    ),
    noteChange(me, 'how long messages are kept', `**${retentionOf(before)}**`, `**${retentionOf(after)}**`),
  ].filter((text) => text !== undefined);
  return sentences.length > 0 ? sentences.join('\n\n') : undefined;
}

function noteChange(me: Actor, what: string, old: string, now: string): string | undefined {
  return old === now ? undefined : `${renderSilentMention(me)} changed ${what} of this stream from ${old} to ${now}.`;
}

function noteDescriptionChange(
  me: Actor,
  { description: old }: StreamProperties,
  { description: now }: StreamProperties,
) {
  if (old === now) return undefined;
  return `${renderSilentMention(me)} changed the description of this stream.\n\n**Old description:**\n\n${quoteDescription(old)}\n\n**New description:**\n\n${quoteDescription(now)}`;
}

function privacyOf({ invite_only, is_web_public, history_public_to_subscribers }: StreamProperties): string {
  if (is_web_public) return 'Web-public';
  if (!invite_only) return 'Public';
  return history_public_to_subscribers ? 'Private, shared history' : 'Private, protected history';
}

function retentionOf({ message_retention_days: days }: StreamProperties): string {
  if (days === null) return 'as long as the organization says';
  return days === -1 ? 'for ever' : `${days} ${days === 1 ? 'day' : 'days'}`;
}
