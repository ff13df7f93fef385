// Rooms with people in them, for tests of what moves from one to another.
import { type Chat, type Person, refused } from './chat.ts';

export interface Room {
  readonly id: number;
  readonly name: string;
}

type Settings = Omit<Parameters<Chat['stream']>[1], 'by' | 'members'>;
type Row = readonly [topic: string, id: number];

export const SHARED: Settings = { invite_only: true, history_public_to_subscribers: true };
export const PROTECTED: Settings = { invite_only: true };

let made = 0;

/** A stream that the first of these people made, with all of them in it. */
export async function room(chat: Chat, [by, ...members]: readonly [Person, ...Person[]], settings: Settings = {}) {
  const name = `room ${made++}`;
  return { name, id: await chat.stream(name, { by, members, ...settings }) } satisfies Room;
}

/** Brings somebody into a room who was not there before. */
export const welcome = (by: Person, { name }: Room, ...people: Person[]) =>
  by.api.subscribe({ subscriptions: [{ name }], principals: people.map(({ id }) => id) });

export async function post(from: Person, { id }: Room, topic = 'soup', content = 'hello'): Promise<number> {
  return (await from.api.sendMessage({ type: 'stream', to: id, topic, content })).id;
}

/** Several messages in one topic, by these people in turn. */
export async function posts(from: readonly Person[], room: Room, count: number, topic = 'soup'): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.push(await post(from[n % from.length] as Person, room, topic));
  return ids;
}

/** Forgets what was heard so far. */
export async function hush(...people: Person[]): Promise<void> {
  for (const person of people) await person.hears();
}

/** What somebody can read in a room, oldest first, without what the server itself wrote there. */
export async function rowsOf({ api }: Person, { id }: Room): Promise<Row[]> {
  const around = { anchor: 'newest', num_before: 5000, num_after: 0 } as const;
  const { messages } = await api.getMessages({ ...around, narrow: [['stream', id]] });
  const written = messages.filter(({ sender_full_name }) => sender_full_name !== 'Notification Bot');
  return written.map((one) => [one.subject, one.id]);
}

/** What the server wrote in a topic, as Markdown. */
export async function notesIn({ api }: Person, { id }: Room, topic: string): Promise<string[]> {
  const around = { anchor: 'newest', num_before: 1000, num_after: 0, apply_markdown: false } as const;
  const { messages } = await api.getMessages({
    ...around,
    narrow: [
      ['stream', id],
      ['topic', topic],
    ],
  });
  return messages.filter((one) => one.sender_full_name === 'Notification Bot').map(({ content }) => content);
}

/** Somebody's flags on messages; undefined for those that they cannot read. */
export function flagsOf({ api }: Person, ids: readonly number[]): Promise<(string[] | undefined)[]> {
  return Promise.all(
    ids.map(async (message_id) => {
      const seen = api.getMessage({ message_id }).then(({ message }) => message.flags);
      return seen.catch(async () => {
        await refused('BAD_REQUEST', api.getMessage({ message_id }), new RegExp(String(message_id)));
        return undefined;
      });
    }),
  );
}

/** What a registration at this moment says somebody has not read, by stream and topic. */
export async function unreadOf({ api }: Person): Promise<Row[]> {
  const { unread_msgs } = await api.registerQueue({ fetch_event_types: ['update_message_flags'] });
  return (unread_msgs?.streams ?? []).flatMap(({ stream_id, topic, unread_message_ids }) =>
    unread_message_ids.map((id): Row => [`${stream_id} ${topic}`, id]),
  );
}

export async function starredOf({ api }: Person): Promise<number[]> {
  return (await api.registerQueue({ fetch_event_types: ['starred_messages'] })).starred_messages ?? [];
}

export const star = ({ api }: Person, ...messages: number[]) =>
  api.updateMessageFlags({ messages, op: 'add', flag: 'starred' });

export const markRead = ({ api }: Person, ...messages: number[]) =>
  api.updateMessageFlags({ messages, op: 'add', flag: 'read' });
