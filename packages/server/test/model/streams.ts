// Commands that change streams, archive them, and set topic policies.
import fc from 'fast-check';
import { type ModelStep, mustFail, step } from './step.ts';
import {
  canReadConversation,
  canSee,
  listReadableConversations,
  type ModelConversation,
  noteTopic,
  personOf,
  pick,
  readAll,
  type World,
} from './world.ts';

const privacies = {
  public: { is_private: false },
  shared: { is_private: true, history_public_to_subscribers: true },
  protected: { is_private: true, history_public_to_subscribers: false },
};

interface Changing {
  readonly by: number;
  readonly stream: number;
  readonly privacy: ModelConversation['privacy'] | undefined;
  readonly rename: boolean;
}

export const changing = (params: Changing): ModelStep =>
  step(`change a stream ${JSON.stringify(params)}`, (world) => change(world, params), { hear: 'after' });

async function change(world: World, params: Changing): Promise<void> {
  const by = personOf(world, params.by);
  const stream = pick(listReadableConversations(world), params.stream);
  // No user of this world receives what the server writes into a stream without subscribers.
  if (!stream || stream.members.size === 0) return;
  const name = params.rename ? `${stream.name}'` : stream.name;
  const changing = by.api.updateStream({
    stream_id: stream.id,
    ...(params.privacy && privacies[params.privacy]),
    ...(params.rename && { new_name: name }),
  });
  const isOutside = stream.privacy !== 'public' && !stream.members.has(by.id);
  if (world.roles.get(by.id) !== 'admin' || (isOutside && params.privacy)) return mustFail(changing);
  await changing;
  const privacy = params.privacy ?? stream.privacy;
  const isNews = privacy !== stream.privacy || params.rename;
  Object.assign(stream, { privacy, name });
  if (isNews)
    world.awaited.push({ stream, topic: noteTopic(stream, 'stream events'), participants: [], read: [by.id] });
}

const archiving = (params: { by: number; stream: number }): ModelStep =>
  step(`archive a stream ${JSON.stringify(params)}`, (world) => archive(world, params));

async function archive(world: World, params: { by: number; stream: number }): Promise<void> {
  const by = personOf(world, params.by);
  const stream = pick(listReadableConversations(world), params.stream);
  if (!stream) return;
  const archiving = by.api.archiveStream({ stream_id: stream.id });
  if (world.roles.get(by.id) !== 'admin' || !canSee(world, by.id, stream)) return mustFail(archiving);
  await archiving;
  stream.archived = true;
  for (const { id } of world.users) readAll(world, id, (letter) => letter.stream === stream);
}

interface Following {
  readonly by: number;
  readonly stream: number;
  readonly topic: string;
  readonly visibility_policy: 0 | 1 | 2 | 3;
}

const following = (params: Following): ModelStep =>
  step(`mute or follow a topic ${JSON.stringify(params)}`, (world) => follow(world, params));

/** The mirror law checks its effects: no record of a message depends on it. */
async function follow(world: World, { by: n, stream: at, topic, visibility_policy }: Following): Promise<void> {
  const by = personOf(world, n);
  const stream = pick(world.streams, at);
  if (!stream) return;
  const following = by.api.updateUserTopic({ stream_id: stream.id, topic, visibility_policy });
  if (!canReadConversation(world, by.id, stream)) return mustFail(following);
  await following;
  if (visibility_policy !== 0) noteTopic(stream, topic);
}

// Mostly by Ada, who has the permission.
const who = fc.constantFrom(0, 0, 0, 1, 4);
const changes = fc
  .record({
    by: who,
    stream: fc.nat(100),
    privacy: fc.constantFrom(undefined, ...(Object.keys(privacies) as ModelConversation['privacy'][])),
    rename: fc.nat(3).map((one) => one === 0),
  })
  .map(changing);
const archivals = fc.record({ by: fc.constantFrom(0, 1), stream: fc.nat(100) }).map(archiving);
const policies = fc
  .record({
    by: fc.nat(4),
    stream: fc.nat(100),
    topic: fc.constantFrom('soup', 'Soup', 'bread', 'BREAD', 'cake'),
    visibility_policy: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
  })
  .map(following);

export const streams: fc.Arbitrary<ModelStep>[] = [changes, changes, changes, archivals, policies, policies];
