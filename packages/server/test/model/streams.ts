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
  readonly place: number;
  readonly privacy: ModelConversation['privacy'] | undefined;
  readonly rename: boolean;
}

export const changing = (given: Changing): ModelStep =>
  step(`change a stream ${JSON.stringify(given)}`, (world) => change(world, given), { hear: 'after' });

async function change(world: World, given: Changing): Promise<void> {
  const by = personOf(world, given.by);
  const place = pick(listReadableConversations(world), given.place);
  // No user of this world receives what the server writes into a stream without subscribers.
  if (!place || place.members.size === 0) return;
  const name = given.rename ? `${place.name}'` : place.name;
  const changing = by.api.updateStream({
    stream_id: place.id,
    ...(given.privacy && privacies[given.privacy]),
    ...(given.rename && { new_name: name }),
  });
  const isOutside = place.privacy !== 'public' && !place.members.has(by.id);
  if (world.roles.get(by.id) !== 'admin' || (isOutside && given.privacy)) return mustFail(changing);
  await changing;
  const privacy = given.privacy ?? place.privacy;
  const isNews = privacy !== place.privacy || given.rename;
  Object.assign(place, { privacy, name });
  if (isNews) world.awaited.push({ place, topic: noteTopic(place, 'stream events'), people: [], read: [by.id] });
}

const archiving = (given: { by: number; place: number }): ModelStep =>
  step(`archive a stream ${JSON.stringify(given)}`, (world) => archive(world, given));

async function archive(world: World, given: { by: number; place: number }): Promise<void> {
  const by = personOf(world, given.by);
  const place = pick(listReadableConversations(world), given.place);
  if (!place) return;
  const archiving = by.api.archiveStream({ stream_id: place.id });
  if (world.roles.get(by.id) !== 'admin' || !canSee(world, by.id, place)) return mustFail(archiving);
  await archiving;
  place.archived = true;
  for (const { id } of world.people) readAll(world, id, (letter) => letter.place === place);
}

interface Following {
  readonly by: number;
  readonly place: number;
  readonly topic: string;
  readonly visibility_policy: 0 | 1 | 2 | 3;
}

const following = (given: Following): ModelStep =>
  step(`mute or follow a topic ${JSON.stringify(given)}`, (world) => follow(world, given));

/** The mirror law checks its effects: no record of a message depends on it. */
async function follow(world: World, { by: n, place: at, topic, visibility_policy }: Following): Promise<void> {
  const by = personOf(world, n);
  const place = pick(world.places, at);
  if (!place) return;
  const following = by.api.updateUserTopic({ stream_id: place.id, topic, visibility_policy });
  if (!canReadConversation(world, by.id, place)) return mustFail(following);
  await following;
  if (visibility_policy !== 0) noteTopic(place, topic);
}

// Mostly by Ada, who has the permission.
const who = fc.constantFrom(0, 0, 0, 1, 4);
const changes = fc
  .record({
    by: who,
    place: fc.nat(100),
    privacy: fc.constantFrom(undefined, ...(Object.keys(privacies) as ModelConversation['privacy'][])),
    rename: fc.nat(3).map((one) => one === 0),
  })
  .map(changing);
const archivals = fc.record({ by: fc.constantFrom(0, 1), place: fc.nat(100) }).map(archiving);
const policies = fc
  .record({
    by: fc.nat(4),
    place: fc.nat(100),
    topic: fc.constantFrom('soup', 'Soup', 'bread', 'BREAD', 'cake'),
    visibility_policy: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
  })
  .map(following);

export const streams: fc.Arbitrary<ModelStep>[] = [changes, changes, changes, archivals, policies, policies];
