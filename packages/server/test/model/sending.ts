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

type ToStream = { from: number; place: number; topic: string; mention: ModelMention; read: boolean };

export const toStream = (given: ToStream): ModelStep =>
  step(`send to a stream ${JSON.stringify(given)}`, (world) => sendToStream(world, given));

async function sendToStream(world: World, given: ToStream): Promise<void> {
  const from = personOf(world, given.from);
  const whom = personOf(world, given.mention.whom);
  const place = pick(listReadableConversations(world), given.place);
  if (!place) return;
  const content = contentOf(given.mention, whom);
  const sending = from.api.sendMessage({
    type: 'stream',
    to: place.id,
    topic: given.topic,
    content,
    read_by_sender: given.read,
  });
  // Users who can read a stream can post to it: the streams of this world have no posting policy.
  if (!canReadConversation(world, from.id, place)) return mustFail(sending);
  const { id } = await sending;
  const topic = noteTopic(place, given.topic);
  const { how } = given.mention;
  deliver(
    world,
    {
      read: given.read ? [from.id] : [],
      mentioned: how === 'by name' ? [whom.id] : [],
      stream_wildcard: how === 'everyone',
      topic_wildcard:
        how === 'topic' ? [from.id, ...writersOf(world, place, topic)].filter((one) => place.members.has(one)) : [],
    },
    { id, sender_id: from.id, place, topic, people: [], content, edits: [] },
  );
}

export const writersOf = (world: World, place: ModelConversation, topic: string): number[] =>
  [...world.messages.values()].flatMap((one) => (one.place === place && one.topic === topic ? [one.sender_id] : []));

type ToPeople = { from: number; to: number[]; mention: ModelMention; read: boolean };

export const toPeople = (given: ToPeople): ModelStep =>
  step(`send to people ${JSON.stringify(given)}`, (world) => sendToPeople(world, given));

async function sendToPeople(world: World, given: ToPeople): Promise<void> {
  const from = personOf(world, given.from);
  const whom = personOf(world, given.mention.whom);
  const to = given.to.map((n) => personOf(world, n).id);
  const content = contentOf(given.mention, whom);
  const { id } = await from.api.sendMessage({ type: 'direct', to, content, read_by_sender: given.read });
  deliver(
    world,
    {
      read: given.read ? [from.id] : [],
      mentioned: given.mention.how === 'by name' ? [whom.id] : [],
    },
    { id, sender_id: from.id, people: ascending([from.id, ...to]), content, edits: [] },
  );
}

const posts = fc
  .record({
    from: fc.nat(4),
    place: fc.nat(100),
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
  .map(toPeople);

export const sending: fc.Arbitrary<ModelStep>[] = [posts, posts, posts, posts, posts, letters];
