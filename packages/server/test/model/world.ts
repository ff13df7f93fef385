// The plain model of the chat: one record for every user and message, as simple and as slow as it can be.
import type { TestUser } from '../chat.ts';

export type ModelRole = 'admin' | 'member' | 'guest';

export interface ModelConversation {
  readonly id: number;
  name: string;
  privacy: 'public' | 'shared' | 'protected';
  readonly members: Set<number>;
  archived: boolean;
  /** Names as first written, by the name in lower case. */
  readonly topics: Map<string, string>;
}

export interface ModelMessage {
  readonly id: number;
  readonly sender_id: number;
  /** Its conversation; undefined for a direct message. */
  stream?: ModelConversation;
  /** The topic in lower case. */
  topic?: string;
  /** All participants of the direct conversation, ascending. */
  readonly participants: readonly number[];
  content: string;
  /** Whether its wildcard mentions the stream, and which users of the topic. */
  stream_wildcard: boolean;
  topic_wildcard: readonly number[];
  /** `edit_history` without times and HTML. */
  readonly edits: ModelEdit[];
}

export interface ModelEdit {
  readonly user_id: number;
  readonly prev_content?: string;
  readonly prev_topic?: string;
  readonly topic?: string;
  readonly prev_stream?: number;
  readonly stream?: number;
}

export interface ModelRow {
  read: boolean;
  starred: boolean;
  collapsed: boolean;
  mentioned: boolean;
  stream_wildcard: boolean;
  topic_wildcard: boolean;
  alerted: boolean;
  historical: boolean;
  /** Whether any flag but read was ever set. */
  flagged: boolean;
}

/** The users for whom a new message has flags. */
export interface ModelRecipients {
  readonly read?: readonly number[];
  readonly mentioned?: readonly number[];
  readonly stream_wildcard?: boolean;
  readonly topic_wildcard?: readonly number[];
}

/** A message of the server's own, of which the id is not known yet. */
export interface ExpectedEvent {
  readonly stream?: ModelConversation;
  readonly topic?: string;
  readonly participants: readonly number[];
  readonly read: readonly number[];
  /** If given, it starts read for all other users. */
  readonly unread_only_for?: readonly number[];
}

export interface ModelEvents {
  readonly id: number;
  readonly flags: readonly string[];
}

export interface World {
  /** Distinguishes the streams of this world from those of others in the same organization. */
  readonly name: string;
  readonly users: readonly TestUser[];
  readonly roles: ReadonlyMap<number, ModelRole>;
  readonly bot_id: number;
  readonly streams: ModelConversation[];
  readonly messages: Map<number, ModelMessage>;
  readonly rows: ReadonlyMap<number, Map<number, ModelRow>>;
  /** The next `message` events of each user. */
  readonly news: ReadonlyMap<number, ModelEvents[]>;
  /** Users with the alert word `ahoy`. */
  readonly watchers: Set<number>;
  awaited: ExpectedEvent[];
  steps: number;
}

export const ascending = (ids: Iterable<number>): number[] => [...new Set(ids)].sort((a, b) => a - b);

/** A member of a list, chosen by a number of any size. */
export const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];

/** A user, chosen likewise. */
export function personOf(world: World, n: number): TestUser {
  const person = pick(world.users, n);
  if (!person) throw new Error('The list is empty.');
  return person;
}

export const listReadableConversations = (world: World): ModelConversation[] =>
  world.streams.filter((stream) => !stream.archived);

const isGuest = (world: World, id: number): boolean => world.roles.get(id) === 'guest';

/** Whether a user can see a stream (docs/behaviour/streams.md#who-can-see-a-stream). */
export function canSee(world: World, id: number, stream: ModelConversation): boolean {
  if (!stream.archived && stream.privacy !== 'public' && world.roles.get(id) === 'admin') return true;
  return canReadConversation(world, id, stream);
}

/** Whether a user can read the content of a stream. */
export function canReadConversation(world: World, id: number, stream: ModelConversation): boolean {
  if (stream.archived) return false;
  return stream.members.has(id) || (stream.privacy === 'public' && !isGuest(world, id));
}

/** Whether a user can read a message (docs/behaviour/messages.md#who-can-read-a-message). */
export function canReadMessage(world: World, id: number, letter: ModelMessage): boolean {
  if (!letter.stream) return letter.participants.includes(id);
  if (!canReadConversation(world, id, letter.stream)) return false;
  return letter.stream.privacy !== 'protected' || rowOf(world, id, letter.id) !== undefined;
}

export const rowOf = (world: World, user_id: number, message_id: number): ModelRow | undefined =>
  world.rows.get(user_id)?.get(message_id);

/** Gives all users their own record of a message. */
export function deliver(
  world: World,
  { stream_wildcard = false, topic_wildcard = [], ...concerned }: ModelRecipients,
  written: Omit<ModelMessage, 'stream_wildcard' | 'topic_wildcard'>,
): void {
  const letter: ModelMessage = { ...written, stream_wildcard, topic_wildcard };
  world.messages.set(letter.id, letter);
  const { stream, topic } = letter;
  for (const id of stream ? stream.members : letter.participants) {
    const row = {
      read: concerned.read?.includes(id) ?? false,
      starred: false,
      collapsed: false,
      mentioned: concerned.mentioned?.includes(id) ?? false,
      stream_wildcard,
      topic_wildcard: topic_wildcard.includes(id),
      alerted: isAlerted(world, id, letter),
      historical: false,
      flagged: (concerned.mentioned?.includes(id) ?? false) || isAlerted(world, id, letter),
    };
    world.rows.get(id)?.set(letter.id, row);
    world.news.get(id)?.push({ id: letter.id, flags: flagsOf(row) });
  }
  if (stream && topic !== undefined && !stream.topics.has(topic)) throw new Error(`The topic ${topic} has no name.`);
}

/** Whether a user has an alert word in the present content. */
export const isAlerted = (world: World, id: number, { content }: ModelMessage): boolean =>
  content.includes('ahoy') && world.watchers.has(id);

/** Stores how a topic was first written; returns its key. */
export function noteTopic(stream: ModelConversation, name: string): string {
  const key = name.toLowerCase();
  if (!stream.topics.has(key)) stream.topics.set(key, name);
  return key;
}

/** The record that a user has of a message, created as a historical one if there is none. */
export function keepRow(world: World, user_id: number, message_id: number): ModelRow {
  const rows = world.rows.get(user_id);
  const row = rows?.get(message_id) ?? historicalRow();
  rows?.set(message_id, row);
  return row;
}

const historicalRow = (): ModelRow => ({
  read: true,
  starred: false,
  collapsed: false,
  mentioned: false,
  stream_wildcard: false,
  topic_wildcard: false,
  alerted: false,
  historical: true,
  flagged: false,
});

/** The flags as the API shows them. A message without a record is read and historical. */
export function flagsOf(row: ModelRow = historicalRow()): string[] {
  const flags: [string, boolean][] = [
    ['read', row.read],
    ['starred', row.starred],
    ['collapsed', row.collapsed],
    ['mentioned', row.mentioned],
    ['wildcard_mentioned', row.stream_wildcard || row.topic_wildcard],
    ['stream_wildcard_mentioned', row.stream_wildcard],
    ['topic_wildcard_mentioned', row.topic_wildcard],
    ['has_alert_word', row.alerted],
    ['historical', row.historical],
  ];
  return flags.filter(([, set]) => set).map(([flag]) => flag);
}

/** Marks every record that a user has of these messages as read. */
export function readAll(world: World, user_id: number, which: (letter: ModelMessage) => boolean): void {
  for (const [message_id, row] of world.rows.get(user_id) ?? []) {
    const letter = world.messages.get(message_id);
    if (letter && which(letter)) row.read = true;
  }
}
