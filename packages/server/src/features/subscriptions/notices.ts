// Texts of the Notification Bot about streams.
import type { User } from '../../core/context.ts';
import { quoteDescription, quoteName, renderSilentMention } from '../../text/quotes.ts';

type Named = { readonly name: string };
type Created = Named & { readonly description: string; readonly invite_only: boolean; readonly is_web_public: boolean };

/**
 * The maximum characters of stream names in one message; the remaining streams are counted. Messages stay below the
 * maximum length.
 */
const ROOM = 8000;

/** The first message of a stream: its privacy, the user who created it, and its description. */
export function renderCreationNotice(me: Pick<User, 'full_name' | 'id'>, stream: Created): string {
  const kind = stream.is_web_public ? 'Web-public' : stream.invite_only ? 'Private' : 'Public';
  return `**${kind}** stream created by ${renderSilentMention(me)}. **Description:**\n${quoteDescription(stream.description)}`;
}

/** For the organization's announcement stream. */
export function renderAnnouncement(me: Pick<User, 'full_name' | 'id'>, streams: readonly Named[]): string {
  return `${renderSilentMention(me)} created ${streams.length === 1 ? 'a new stream' : 'new streams'}${list(streams)}`;
}

/** For users whom another user subscribed. */
export function renderInvitation(me: Pick<User, 'full_name' | 'id'>, streams: readonly Named[]): string {
  return `${renderSilentMention(me)} subscribed you to ${streams.length === 1 ? 'the stream' : 'these streams'}${list(streams)}`;
}

function list(streams: readonly Named[]): string {
  if (streams.length === 1) return ` ${linked(streams[0]?.name ?? '')}.`;
  const lines: string[] = [];
  let room = ROOM;
  for (const { name } of streams) {
    const line = `* ${linked(name)}`;
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const rest = streams.length - lines.length;
  return `:\n\n${lines.join('\n')}${rest > 0 ? `\n* and ${rest} more` : ''}`;
}

/** A link to a stream. A name that could end the link early and continue with a mention is quoted instead. */
const linked = (name: string): string => (name.includes('**') ? quoteName(name) : `#**${name}**`);
