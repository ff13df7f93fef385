// Commands that create streams, and subscribe and unsubscribe users.
import fc from 'fast-check';
import { type ModelStep, mustFail, step } from './step.ts';
import {
  ascending,
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
  public: {},
  shared: { invite_only: true, history_public_to_subscribers: true },
  protected: { invite_only: true, history_public_to_subscribers: false },
};

type Creating = { by: number; privacy: ModelConversation['privacy']; people: number[] };

export const creating = (given: Creating): ModelStep =>
  step(`create a stream ${JSON.stringify(given)}`, (world) => create(world, given), { hear: 'after' });

async function create(world: World, given: Creating): Promise<void> {
  const by = personOf(world, given.by);
  const principals = principalsOf(world, given.people);
  const name = `${world.name} stream ${world.places.length}`;
  const settings = privacies[given.privacy];
  const creation = by.api.subscribe({
    subscriptions: [{ name }],
    ...(principals.length > 0 && { principals }),
    ...settings,
  });
  if (world.roles.get(by.id) === 'guest') return mustFail(creation);
  await creation;
  const members = new Set(principals.length > 0 ? principals : [by.id]);
  const [someone = by] = world.people.filter(({ id }) => members.has(id));
  const { streams } = await someone.api.getStreams();
  const id = streams.find((stream) => stream.name === name)?.stream_id ?? Number.NaN;
  const place: ModelConversation = { id, name, privacy: given.privacy, members, archived: false, topics: new Map() };
  world.places.push(place);
  world.awaited.push({ place, topic: noteTopic(place, 'stream events'), people: [], read: [by.id] });
}

const principalsOf = (world: World, numbers: readonly number[]): number[] =>
  ascending(numbers.map((n) => personOf(world, n).id));

type Joining = { by: number; place: number; people: number[] };

export const joining = (given: Joining): ModelStep =>
  step(`subscribe ${JSON.stringify(given)}`, (world) => subscribe(world, given), { hear: 'after' });

async function subscribe(world: World, given: Joining): Promise<void> {
  const by = personOf(world, given.by);
  const place = pick(listReadableConversations(world), given.place);
  if (!place) return;
  const principals = principalsOf(world, given.people);
  const subscribing = by.api.subscribe({
    subscriptions: [{ name: place.name }],
    ...(principals.length > 0 && { principals }),
  });
  if (world.roles.get(by.id) === 'guest' || !canReadConversation(world, by.id, place)) return mustFail(subscribing);
  await subscribing;
  const newcomers = (principals.length > 0 ? principals : [by.id]).filter((id) => !place.members.has(id));
  for (const id of newcomers) {
    place.members.add(id);
    if (id !== by.id) world.awaited.push({ people: ascending([world.bot_id, id]), read: [] });
  }
}

type Leaving = { by: number; whom: number | undefined; place: number };

const leaving = (given: Leaving): ModelStep =>
  step(`unsubscribe ${JSON.stringify(given)}`, (world) => unsubscribe(world, given), { hear: 'before' });

async function unsubscribe(world: World, given: Leaving): Promise<void> {
  const by = personOf(world, given.by);
  const whom = given.whom === undefined ? by : personOf(world, given.whom);
  const place = pick(listReadableConversations(world), given.place);
  if (!place) return;
  const principals = given.whom === undefined ? {} : { principals: [whom.id] };
  const leave = by.api.unsubscribe({ subscriptions: [place.name], ...principals });
  const mayRemove = whom === by || world.roles.get(by.id) === 'admin';
  if (!canSee(world, by.id, place) || !mayRemove) return mustFail(leave);
  await leave;
  if (!place.members.delete(whom.id)) return;
  readAll(world, whom.id, (letter) => letter.place === place);
  place.archived = place.privacy !== 'public' && place.members.size === 0;
}

const who = fc.nat(4);
const people = fc.array(who, { maxLength: 4 });
const creations = fc
  .record({ by: who, privacy: fc.constantFrom(...(Object.keys(privacies) as ModelConversation['privacy'][])), people })
  .map(creating);
const arrivals = fc.record({ by: who, place: fc.nat(100), people }).map(joining);
const departures = fc.record({ by: who, whom: fc.option(who, { nil: undefined }), place: fc.nat(100) }).map(leaving);

export const subscribing: fc.Arbitrary<ModelStep>[] = [creations, arrivals, arrivals, arrivals, departures, departures];
