// Streams with subscribers, for tests of moves between them.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { type Chat, expectError, type TestUser } from './chat.ts';

export interface Room {
  readonly id: number;
  readonly name: string;
}

type Settings = Omit<Parameters<Chat['stream']>[1], 'by' | 'members'>;
type Row = readonly [topic: string, id: number];

export const SHARED: Settings = { invite_only: true, history_public_to_subscribers: true };
export const PROTECTED: Settings = { invite_only: true };

let made = 0;

/** A stream that the first of these users created, with all of them as subscribers. */
export async function createRoom(
  chat: Chat,
  [by, ...members]: readonly [TestUser, ...TestUser[]],
  settings: Settings = {},
) {
  const name = `room ${made++}`;
  return { name, id: await chat.stream(name, { by, members, ...settings }) } satisfies Room;
}

/** Subscribes a user who was not subscribed before. */
export const addMembers = (by: TestUser, { name }: Room, ...users: TestUser[]) =>
  by.api.subscribe({ subscriptions: [{ name }], principals: users.map(({ id }) => id) });

export async function post(from: TestUser, { id }: Room, topic = 'soup', content = 'hello'): Promise<number> {
  return (await from.api.sendMessage({ type: 'stream', to: id, topic, content })).id;
}

/** Several messages in one topic, by these users in turn. */
export async function postSeveral(
  from: readonly TestUser[],
  room: Room,
  count: number,
  topic = 'soup',
): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.push(await post(from[n % from.length] as TestUser, room, topic));
  return ids;
}

/** Adds messages to the topic of one, as if its author had sent them after it. Returns the ids of all. */
export async function insertMessagesAfter(chat: Chat, message_id: number, count: number): Promise<number[]> {
  const added = await rows<{ id: number }>(
    chat.database.db,
    sql`with first as (select * from messages where realm_id = ${chat.realm.id} and id = ${message_id}),
        place as (
          update conversations c set last_seq = c.last_seq + ${count}::int from first
          where c.realm_id = first.realm_id and c.id = first.conversation_id returning c.last_seq - ${count}::int as last_seq
        )
        insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
          is_me_message, has_link, has_image, has_attachment, stream_wildcard)
        select realm_id, conversation_id, last_seq + n, topic_id, sender_id, content, rendered_content, client, sent_at,
          false, false, false, false, false
        from first, place, generate_series(1, ${count}::int) n order by n returning id`,
  );
  return [message_id, ...added.map(({ id }) => id)];
}

/** Discards the pending events. */
export async function discardEvents(...users: TestUser[]): Promise<void> {
  for (const person of users) await person.takeEvents();
}

/** What a user can read in a room, oldest first, without the messages of the server itself. */
export async function rowsOf({ api }: TestUser, { id }: Room): Promise<Row[]> {
  const around = { anchor: 'newest', num_before: 5000, num_after: 0 } as const;
  const { messages } = await api.getMessages({ ...around, narrow: [['stream', id]] });
  const written = messages.filter(({ sender_full_name }) => sender_full_name !== 'Notification Bot');
  return written.map((one) => [one.subject, one.id]);
}

/** The messages of the server in a topic, as Markdown. */
export async function notesIn({ api }: TestUser, { id }: Room, topic: string): Promise<string[]> {
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

/** A user's flags on messages; undefined for those that they cannot read. */
export function flagsOf({ api }: TestUser, ids: readonly number[]): Promise<(string[] | undefined)[]> {
  return Promise.all(
    ids.map(async (message_id) => {
      const seen = api.getMessage({ message_id }).then(({ message }) => message.flags);
      return seen.catch(async () => {
        await expectError('BAD_REQUEST', api.getMessage({ message_id }), new RegExp(String(message_id)));
        return undefined;
      });
    }),
  );
}

/** The unread messages of a user in a new registration, by stream and topic. */
export async function unreadOf({ api }: TestUser): Promise<Row[]> {
  const { unread_msgs } = await api.registerQueue({ fetch_event_types: ['update_message_flags'] });
  return (unread_msgs?.streams ?? []).flatMap(({ stream_id, topic, unread_message_ids }) =>
    unread_message_ids.map((id): Row => [`${stream_id} ${topic}`, id]),
  );
}

export async function starredOf({ api }: TestUser): Promise<number[]> {
  return (await api.registerQueue({ fetch_event_types: ['starred_messages'] })).starred_messages ?? [];
}

export const star = ({ api }: TestUser, ...messages: number[]) =>
  api.updateMessageFlags({ messages, op: 'add', flag: 'starred' });

export const markRead = ({ api }: TestUser, ...messages: number[]) =>
  api.updateMessageFlags({ messages, op: 'add', flag: 'read' });
