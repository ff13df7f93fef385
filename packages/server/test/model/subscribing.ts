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

type Creating = { by: number; privacy: ModelConversation['privacy']; members: number[] };

export const creating = (params: Creating): ModelStep =>
  step(`create a stream ${JSON.stringify(params)}`, (world) => create(world, params), { hear: 'after' });

async function create(world: World, params: Creating): Promise<void> {
  const by = personOf(world, params.by);
  const principals = principalsOf(world, params.members);
  const name = `${world.name} stream ${world.streams.length}`;
  const settings = privacies[params.privacy];
  const creation = by.api.subscribe({
    subscriptions: [{ name }],
    ...(principals.length > 0 && { principals }),
    ...settings,
  });
  if (world.roles.get(by.id) === 'guest') return mustFail(creation);
  await creation;
  const members = new Set(principals.length > 0 ? principals : [by.id]);
  const [someone = by] = world.users.filter(({ id }) => members.has(id));
  const { streams } = await someone.api.getStreams();
  const id = streams.find((stream) => stream.name === name)?.stream_id ?? Number.NaN;
  const stream: ModelConversation = { id, name, privacy: params.privacy, members, archived: false, topics: new Map() };
  world.streams.push(stream);
  world.awaited.push({ stream, topic: noteTopic(stream, 'stream events'), participants: [], read: [by.id] });
}

const principalsOf = (world: World, numbers: readonly number[]): number[] =>
  ascending(numbers.map((n) => personOf(world, n).id));

type Joining = { by: number; stream: number; members: number[] };

export const joining = (params: Joining): ModelStep =>
  step(`subscribe ${JSON.stringify(params)}`, (world) => subscribe(world, params), { hear: 'after' });

async function subscribe(world: World, params: Joining): Promise<void> {
  const by = personOf(world, params.by);
  const stream = pick(listReadableConversations(world), params.stream);
  if (!stream) return;
  const principals = principalsOf(world, params.members);
  const subscribing = by.api.subscribe({
    subscriptions: [{ name: stream.name }],
    ...(principals.length > 0 && { principals }),
  });
  if (world.roles.get(by.id) === 'guest' || !canReadConversation(world, by.id, stream)) return mustFail(subscribing);
  await subscribing;
  const newcomers = (principals.length > 0 ? principals : [by.id]).filter((id) => !stream.members.has(id));
  for (const id of newcomers) {
    stream.members.add(id);
    if (id !== by.id) world.awaited.push({ participants: ascending([world.bot_id, id]), read: [] });
  }
}

type Leaving = { by: number; whom: number | undefined; stream: number };

const leaving = (params: Leaving): ModelStep =>
  step(`unsubscribe ${JSON.stringify(params)}`, (world) => unsubscribe(world, params), { hear: 'before' });

async function unsubscribe(world: World, params: Leaving): Promise<void> {
  const by = personOf(world, params.by);
  const whom = params.whom === undefined ? by : personOf(world, params.whom);
  const stream = pick(listReadableConversations(world), params.stream);
  if (!stream) return;
  const principals = params.whom === undefined ? {} : { principals: [whom.id] };
  const leave = by.api.unsubscribe({ subscriptions: [stream.name], ...principals });
  const mayRemove = whom === by || world.roles.get(by.id) === 'admin';
  if (!canSee(world, by.id, stream) || !mayRemove) return mustFail(leave);
  await leave;
  if (!stream.members.delete(whom.id)) return;
  readAll(world, whom.id, (letter) => letter.stream === stream);
  stream.archived = stream.privacy !== 'public' && stream.members.size === 0;
}

const who = fc.nat(4);
const members = fc.array(who, { maxLength: 4 });
const creations = fc
  .record({ by: who, privacy: fc.constantFrom(...(Object.keys(privacies) as ModelConversation['privacy'][])), members })
  .map(creating);
const arrivals = fc.record({ by: who, stream: fc.nat(100), members }).map(joining);
const departures = fc.record({ by: who, whom: fc.option(who, { nil: undefined }), stream: fc.nat(100) }).map(leaving);

export const subscribing: fc.Arbitrary<ModelStep>[] = [creations, arrivals, arrivals, arrivals, departures, departures];
