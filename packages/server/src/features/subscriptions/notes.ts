// What the Notification Bot says about streams.
import type { User } from '../../core/context.ts';

type Named = { readonly name: string };
type Created = Named & { readonly description: string; readonly invite_only: boolean; readonly is_web_public: boolean };

/** Characters of stream names in one note; what does not fit is counted. Notes stay below the length of a message. */
const ROOM = 8000;

const actor = ({ full_name, id }: Pick<User, 'full_name' | 'id'>): string => `@_**${full_name}|${id}**`;

/** The first message of a stream: its privacy, who created it, and what it is for. */
export function creationNote(me: Pick<User, 'full_name' | 'id'>, stream: Created): string {
  const kind = stream.is_web_public ? 'Web-public' : stream.invite_only ? 'Private' : 'Public';
  return `**${kind}** stream created by ${actor(me)}. **Description:**\n${quoted(stream.description || '*No description.*')}`;
}

function quoted(text: string): string {
  // A fence longer than any in the text cannot be closed by it.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} quote\n${text}\n${fence}`;
}

/** For the organization's announcement stream. */
export function announcement(me: Pick<User, 'full_name' | 'id'>, streams: readonly Named[]): string {
  return `${actor(me)} created ${streams.length === 1 ? 'a new stream' : 'new streams'}${list(streams)}`;
}

/** For people whom somebody else subscribed. */
export function invitation(me: Pick<User, 'full_name' | 'id'>, streams: readonly Named[]): string {
  return `${actor(me)} subscribed you to ${streams.length === 1 ? 'the stream' : 'these streams'}${list(streams)}`;
}

function list(streams: readonly Named[]): string {
  if (streams.length === 1) return ` #**${streams[0]?.name}**.`;
  const lines: string[] = [];
  let room = ROOM;
  for (const { name } of streams) {
    const line = `* #**${name}**`;
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const rest = streams.length - lines.length;
  return `:\n\n${lines.join('\n')}${rest > 0 ? `\n* and ${rest} more` : ''}`;
}
