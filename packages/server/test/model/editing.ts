// Commands that edit, move and delete messages.
import fc from 'fast-check';
import { contentOf, type ModelMention, mentions, writersOf } from './sending.ts';
import { type ModelStep, mustFail, step } from './step.ts';
import {
  ascending,
  canReadConversation,
  canReadMessage,
  isAlerted,
  type ModelConversation,
  type ModelMessage,
  type ModelRow,
  noteTopic,
  personOf,
  pick,
  rowOf,
  type World,
} from './world.ts';

interface Rewording {
  readonly by: number;
  readonly message: number;
  readonly own: boolean;
  readonly mention: ModelMention;
}

const rewording = (params: Rewording): ModelStep =>
  step(`edit ${JSON.stringify(params)}`, (world) => reword(world, params), { hear: 'before' });

async function reword(world: World, params: Rewording): Promise<void> {
  const by = personOf(world, params.by);
  const whom = personOf(world, params.mention.whom);
  const all = [...world.messages.values()];
  const letter = pick(params.own ? all.filter(({ sender_id }) => sender_id === by.id) : all, params.message);
  if (!letter) return;
  const content = contentOf(params.mention, whom);
  const editing = by.api.updateMessage({ message_id: letter.id, content });
  if (letter.sender_id !== by.id || !canReadMessage(world, by.id, letter)) return mustFail(editing);
  await editing;
  letter.edits.unshift({ user_id: by.id, prev_content: letter.content });
  letter.content = content;
  remention(world, letter, params.mention.how, whom.id);
}

/**
 * The users whom the new content mentions: of those who have a record of the message, whether or not they are still
 * subscribed.
 */
function remention(world: World, letter: ModelMessage, how: string, whom: number): void {
  const { stream } = letter;
  const participants = stream ? [letter.sender_id, ...writersOf(world, stream, letter.topic ?? '')] : [];
  letter.stream_wildcard = how === 'everyone' && stream !== undefined;
  letter.topic_wildcard = how === 'topic' ? participants.filter((id) => rowOf(world, id, letter.id)) : [];
  for (const { id } of world.users) {
    const row = rowOf(world, id, letter.id);
    if (!row) continue;
    row.mentioned = how === 'by name' && id === whom;
    row.alerted = isAlerted(world, id, letter);
    row.flagged ||= row.mentioned || row.alerted;
    row.stream_wildcard = letter.stream_wildcard && !row.historical;
    row.topic_wildcard = letter.topic_wildcard.includes(id) && !row.historical;
  }
}

interface Moving {
  readonly by: number;
  readonly message: number;
  readonly mode: 'change_one' | 'change_later' | 'change_all';
  readonly topic: string | undefined;
  readonly stream: number | undefined;
  readonly to_old: boolean;
  readonly to_new: boolean;
}

const moving = (params: Moving): ModelStep =>
  step(`move ${JSON.stringify(params)}`, (world) => move(world, params), { hear: 'around' });

async function move(world: World, params: Moving): Promise<void> {
  const by = personOf(world, params.by);
  const letter = pick(
    [...world.messages.values()].filter((one) => one.stream),
    params.message,
  );
  const from = letter?.stream;
  if (!letter || !from) return;
  const to = params.stream === undefined ? from : (pick(world.streams, params.stream) ?? from);
  const before = from.topics.get(letter.topic ?? '') ?? '';
  const topic = params.topic ?? before;
  const changing = by.api.updateMessage({
    message_id: letter.id,
    propagate_mode: params.mode,
    send_notification_to_old_thread: params.to_old,
    send_notification_to_new_thread: params.to_new,
    ...(params.topic !== undefined && { topic }),
    ...(to !== from && { stream_id: to.id }),
  });
  const mayMove = to === from || (world.roles.get(by.id) !== 'guest' && canReadConversation(world, by.id, to));
  if (!canReadMessage(world, by.id, letter) || !mayMove || (to === from && topic === before)) return mustFail(changing);
  await changing;
  carryOut(world, { by: by.id, letter, from, to, before, topic, params });
}

interface Carrying {
  readonly by: number;
  readonly letter: ModelMessage;
  readonly from: ModelConversation;
  readonly to: ModelConversation;
  readonly before: string;
  readonly topic: string;
  readonly params: Moving;
}

function carryOut(world: World, { by, letter, from, to, before, topic, params }: Carrying): void {
  const key = letter.topic;
  const inTopic = (stream: ModelConversation, name: string) =>
    [...world.messages.values()].filter((one) => one.stream === stream && one.topic === name.toLowerCase());
  const recased = from === to && topic.toLowerCase() === key;
  const selected = inTopic(from, before).filter(
    ({ id }) =>
      recased || params.mode === 'change_all' || (params.mode === 'change_one' ? id === letter.id : id >= letter.id),
  );
  const moved = from === to ? selected : selected.filter((one) => canReadMessage(world, by, one));
  const wasEmpty = recased || inTopic(to, topic).length === 0;
  const isWhole = moved.length === inTopic(from, before).length;
  if (from === to && isWhole && wasEmpty) {
    from.topics.delete(key ?? '');
    from.topics.set(topic.toLowerCase(), topic);
  }
  const name = to.topics.get(noteTopic(to, topic)) ?? topic;
  for (const one of moved) {
    if (from !== to) changeStream(world, one, from, to);
    one.topic = name.toLowerCase();
    one.edits.unshift({
      user_id: by,
      ...(name !== before && { prev_topic: before, topic: name }),
      ...(from !== to && { prev_stream: from.id, stream: to.id }),
    });
  }
  expectNotices(world, { from, to, before, name, moved, params });
}

/** The records of a message that moves to another stream (docs/behaviour/messages.md#access-after-a-move). */
function changeStream(world: World, letter: ModelMessage, from: ModelConversation, to: ModelConversation): void {
  for (const { id } of world.users) {
    const rows = world.rows.get(id);
    const row = rows?.get(letter.id);
    if (to.members.has(id)) {
      if (!row && to.privacy === 'protected') rows?.set(letter.id, gained(letter, id));
      continue;
    }
    // Users who left both streams keep their flags on it, as on a message that they never received.
    const keepsFlags =
      row?.flagged && !from.members.has(id) && to.privacy === 'public' && world.roles.get(id) !== 'guest';
    if (!row || !keepsFlags) rows?.delete(letter.id);
    else Object.assign(row, { read: true, historical: true, stream_wildcard: false, topic_wildcard: false });
  }
  letter.stream = to;
}

const gained = ({ stream_wildcard, topic_wildcard }: ModelMessage, id: number): ModelRow => ({
  read: true,
  starred: false,
  collapsed: false,
  mentioned: false,
  stream_wildcard,
  topic_wildcard: topic_wildcard.includes(id),
  alerted: false,
  historical: false,
  flagged: false,
});

interface Noticed {
  readonly from: ModelConversation;
  readonly to: ModelConversation;
  readonly before: string;
  readonly name: string;
  readonly moved: readonly ModelMessage[];
  readonly params: Moving;
}

function expectNotices(world: World, { from, to, before, name, moved, params }: Noticed): void {
  const isResolved = (topic: string) => topic.startsWith('✔ ');
  const bare = (topic: string) => topic.replace(/^[✔ ]+/u, '');
  const isResolution = isResolved(before) !== isResolved(name);
  if (isResolution) {
    const unread_only_for = ascending(moved.map(({ sender_id }) => sender_id));
    world.awaited.push({ stream: to, topic: name.toLowerCase(), participants: [], read: [], unread_only_for });
  }
  if (isResolution && from === to && bare(before) === bare(name)) return;
  if (params.to_new) world.awaited.push({ stream: to, topic: name.toLowerCase(), participants: [], read: [] });
  if (params.to_old) world.awaited.push({ stream: from, topic: noteTopic(from, before), participants: [], read: [] });
}

const deleting = (params: { by: number; message: number; own: boolean }): ModelStep =>
  step(`delete ${JSON.stringify(params)}`, (world) => remove(world, params), { hear: 'before' });

async function remove(world: World, params: { by: number; message: number; own: boolean }): Promise<void> {
  const by = personOf(world, params.by);
  const all = [...world.messages.values()];
  const letter = pick(params.own ? all.filter(({ sender_id }) => sender_id === by.id) : all, params.message);
  if (!letter) return;
  const removing = by.api.deleteMessage({ message_id: letter.id });
  const role = world.roles.get(by.id);
  const may = role === 'admin' || (role !== 'guest' && letter.sender_id === by.id);
  if (!may || !canReadMessage(world, by.id, letter)) return mustFail(removing);
  await removing;
  forget(world, letter);
}

function forget(world: World, { id }: ModelMessage): void {
  world.messages.delete(id);
  for (const rows of world.rows.values()) rows.delete(id);
}

const deletingTopic = (params: { stream: number; topic: string }): ModelStep =>
  step(`delete a topic ${JSON.stringify(params)}`, (world) => removeTopic(world, params), { hear: 'before' });

async function removeTopic(world: World, params: { stream: number; topic: string }): Promise<void> {
  const admin = personOf(world, 0);
  const stream = pick(world.streams, params.stream);
  if (!stream) return;
  const removing = admin.api.deleteTopic({ stream_id: stream.id, topic_name: params.topic });
  if (!canReadConversation(world, admin.id, stream)) return mustFail(removing);
  await removing;
  const key = params.topic.toLowerCase();
  const doomed = [...world.messages.values()].filter((one) => one.stream === stream && one.topic === key);
  for (const letter of doomed.filter((one) => canReadMessage(world, admin.id, one))) forget(world, letter);
}

const topics = fc.constantFrom('soup', 'Soup', 'bread', 'Bread', '✔ soup', '✔ bread', 'stream events');
const messages = fc.nat(1000);
const moves = fc
  .record({
    by: fc.nat(4),
    message: messages,
    mode: fc.constantFrom('change_one' as const, 'change_later' as const, 'change_all' as const, 'change_all' as const),
    topic: fc.option(topics, { nil: undefined, freq: 4 }),
    stream: fc.option(fc.nat(100), { nil: undefined }),
    to_old: fc.boolean(),
    to_new: fc.boolean(),
  })
  .map(moving);
const edits = fc
  .record({ by: fc.nat(4), message: messages, own: fc.nat(3).map((n) => n > 0), mention: mentions })
  .map(rewording);
const deletions = fc.record({ by: fc.nat(4), message: messages, own: fc.boolean() }).map(deleting);
const topicDeletions = fc.record({ stream: fc.nat(100), topic: topics }).map(deletingTopic);

export const editing: fc.Arbitrary<ModelStep>[] = [moves, moves, moves, moves, edits, edits, deletions, topicDeletions];
