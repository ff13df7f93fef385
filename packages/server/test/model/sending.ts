// Commands that send messages.
import fc from 'fast-check';
import type { TestUser } from '../chat.ts';
import { type ModelStep, mustFail, step } from './step.ts';
import {
  ascending,
  canReadConversation,
  deliver,
  listReadableConversations,
  type ModelConversation,
  noteTopic,
  personOf,
  pick,
  type World,
} from './world.ts';

export const mentions = fc.record({
  whom: fc.nat(4),
  how: fc.constantFrom('not at all', 'by name', 'silently', 'everyone', 'topic', 'ahoy'),
});

export interface ModelMention {
  readonly whom: number;
  readonly how: string;
}

export function contentOf({ how }: ModelMention, whom: TestUser): string {
  if (how === 'by name') return `hello @**${whom.full_name}**`;
  if (how === 'silently') return `hello @_**${whom.full_name}**`;
  if (how === 'ahoy') return 'Ahoy and hello, ahoy';
  if (how === 'everyone') return 'hello @**all**';
  return how === 'topic' ? 'hello @**topic**' : 'hello';
}

type ToStream = { from: number; stream: number; topic: string; mention: ModelMention; read: boolean };

export const toStream = (params: ToStream): ModelStep =>
  step(`send to a stream ${JSON.stringify(params)}`, (world) => sendToStream(world, params));

async function sendToStream(world: World, params: ToStream): Promise<void> {
  const from = personOf(world, params.from);
  const whom = personOf(world, params.mention.whom);
  const stream = pick(listReadableConversations(world), params.stream);
  if (!stream) return;
  const content = contentOf(params.mention, whom);
  const sending = from.api.sendMessage({
    type: 'stream',
    to: stream.id,
    topic: params.topic,
    content,
    read_by_sender: params.read,
  });
  // Users who can read a stream can post to it: the streams of this world have no posting policy.
  if (!canReadConversation(world, from.id, stream)) return mustFail(sending);
  const { id } = await sending;
  const topic = noteTopic(stream, params.topic);
  const { how } = params.mention;
  deliver(
    world,
    {
      read: params.read ? [from.id] : [],
      mentioned: how === 'by name' ? [whom.id] : [],
      stream_wildcard: how === 'everyone',
      topic_wildcard:
        how === 'topic' ? [from.id, ...writersOf(world, stream, topic)].filter((one) => stream.members.has(one)) : [],
    },
    { id, sender_id: from.id, stream, topic, participants: [], content, edits: [] },
  );
}

export const writersOf = (world: World, stream: ModelConversation, topic: string): number[] =>
  [...world.messages.values()].flatMap((one) => (one.stream === stream && one.topic === topic ? [one.sender_id] : []));

type ToUsers = { from: number; to: number[]; mention: ModelMention; read: boolean };

export const toUsers = (params: ToUsers): ModelStep =>
  step(`send to users ${JSON.stringify(params)}`, (world) => sendToUsers(world, params));

async function sendToUsers(world: World, params: ToUsers): Promise<void> {
  const from = personOf(world, params.from);
  const whom = personOf(world, params.mention.whom);
  const to = params.to.map((n) => personOf(world, n).id);
  const content = contentOf(params.mention, whom);
  const { id } = await from.api.sendMessage({ type: 'direct', to, content, read_by_sender: params.read });
  deliver(
    world,
    {
      read: params.read ? [from.id] : [],
      mentioned: params.mention.how === 'by name' ? [whom.id] : [],
    },
    { id, sender_id: from.id, participants: ascending([from.id, ...to]), content, edits: [] },
  );
}

const posts = fc
  .record({
    from: fc.nat(4),
    stream: fc.nat(100),
    topic: fc.constantFrom('soup', 'Soup', 'bread', 'stream events'),
    mention: mentions,
    read: fc.boolean(),
  })
  .map(toStream);
const letters = fc
  .record({
    from: fc.nat(4),
    to: fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }),
    mention: mentions,
    read: fc.boolean(),
  })
  .map(toUsers);

export const sending: fc.Arbitrary<ModelStep>[] = [posts, posts, posts, posts, posts, letters];
