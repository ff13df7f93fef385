// Commands that change flags of messages.
import fc from 'fast-check';
import { expect } from 'vitest';
import { type ModelStep, mustFail, step } from './step.ts';
import {
  canReadConversation,
  canReadMessage,
  keepRow,
  type ModelMessage,
  personOf,
  pick,
  readAll,
  rowOf,
  type World,
} from './world.ts';

/** An id that no message has. */
const NOWHERE = Number.MAX_SAFE_INTEGER;

export const flagging = (params: Change): ModelStep =>
  step(`change flags ${JSON.stringify(params)}`, (world) => change(world, params));

const changing = fc
  .record({
    by: fc.nat(4),
    op: fc.constantFrom('add' as const, 'remove' as const),
    flag: fc.constantFrom('read' as const, 'starred' as const, 'collapsed' as const),
    // Mostly messages that the user can read, or no request of several ids would ever succeed.
    reach: fc.constantFrom('mine', 'mine', 'readable', 'old', 'old', 'any', 'any'),
    messages: fc.array(fc.nat(1000), { maxLength: 8 }),
    nowhere: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  })
  .map(flagging);

interface Change {
  readonly by: number;
  readonly op: 'add' | 'remove';
  readonly flag: 'read' | 'starred' | 'collapsed';
  readonly reach: string;
  readonly messages: readonly number[];
  readonly nowhere: boolean;
}

async function change(world: World, params: Change): Promise<void> {
  const by = personOf(world, params.by);
  const messages = within(world, by.id, params.reach);
  const ids = params.messages.flatMap((n) => pick(messages, n)?.id ?? []);
  if (params.nowhere) ids.push(NOWHERE);
  const changing = by.api.updateMessageFlags({ messages: ids, op: params.op, flag: params.flag });
  if (ids.some((id) => isError(world, by.id, params, world.messages.get(id)))) return mustFail(changing);
  const changed = ids.filter((id) => applies(world, by.id, params, id));
  expect(await changing).toEqual({ messages: changed });
}

function within(world: World, me: number, reach: string): ModelMessage[] {
  const all = [...world.messages.values()];
  if (reach === 'any') return all;
  const readable = all.filter((letter) => canReadMessage(world, me, letter));
  if (reach === 'readable') return readable;
  // Messages in their history, or that they can read from before their subscription.
  return readable.filter(({ id }) => (rowOf(world, me, id) !== undefined) === (reach === 'mine'));
}

/** Whether one id is enough to fail the request: the table of docs/behaviour/flags.md#which-messages. */
function isError(world: World, me: number, { op, flag }: Change, letter: ModelMessage | undefined): boolean {
  if (letter && canReadMessage(world, me, letter)) return false;
  if (flag !== 'read') return op === 'add';
  if (op === 'add') return false;
  return !letter?.stream || (letter.stream.members.has(me) && !letter.stream.archived);
}

/** Changes one message in the model; false if nothing changed. */
export function applies(world: World, me: number, { op, flag }: Pick<Change, 'op' | 'flag'>, id: number): boolean {
  const letter = world.messages.get(id);
  if (!letter || !canReadMessage(world, me, letter)) return false;
  if (flag === 'read' && op === 'remove' && letter.stream && !letter.stream.members.has(me)) return false;
  const to = op === 'add';
  const row = rowOf(world, me, id);
  if ((row?.[flag] ?? flag === 'read') === to) return false;
  const ownRow = keepRow(world, me, id);
  ownRow[flag] = to;
  // A message that a user marks as unread without having received it stays in their history like a starred one.
  ownRow.flagged ||= flag !== 'read' || row === undefined;
  return true;
}

const marking = fc
  .record({
    by: fc.nat(4),
    stream: fc.nat(100),
    topic: fc.constantFrom(undefined, 'soup', 'SOUP', 'bread', 'stream events', 'nothing'),
  })
  .map((params): ModelStep => step(`mark as read ${JSON.stringify(params)}`, (world) => mark(world, params)));

async function mark(world: World, params: { by: number; stream: number; topic: string | undefined }): Promise<void> {
  const by = personOf(world, params.by);
  const stream = pick(world.streams, params.stream);
  if (!stream) return;
  const { topic } = params;
  const stream_id = stream.id;
  const marked =
    topic === undefined
      ? by.api.markStreamAsRead({ stream_id })
      : by.api.markTopicAsRead({ stream_id, topic_name: topic });
  const isMeant = (letter: ModelMessage) =>
    letter.stream === stream && (topic === undefined || letter.topic === topic.toLowerCase());
  const isKnown =
    topic === undefined ||
    [...world.messages.values()].some((one) => isMeant(one) && canReadMessage(world, by.id, one));
  if (!canReadConversation(world, by.id, stream) || !isKnown) return mustFail(marked);
  await marked;
  readAll(world, by.id, isMeant);
}

const markingAll = fc.nat(4).map(
  (n): ModelStep =>
    step(`mark all as read ${JSON.stringify({ by: n })}`, async (world) => {
      const by = personOf(world, n);
      expect(await by.api.markAllAsRead()).toEqual({ complete: true });
      readAll(world, by.id, () => true);
    }),
);

export const flags: fc.Arbitrary<ModelStep>[] = [
  changing,
  changing,
  changing,
  changing,
  changing,
  changing,
  marking,
  marking,
  markingAll,
];
