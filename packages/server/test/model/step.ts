import { ParleyError } from '@parley/client';
import type { AsyncCommand } from 'fast-check';
import { expect } from 'vitest';
import type { Schema } from '../../src/core/contract.ts';
import type { Chat, TestUser } from '../chat.ts';
import { compare, probe } from './compare.ts';
import { ascending, deliver, type ModelRole, type World } from './world.ts';

/** Steps between two comparisons. */
const LOOK = 20;

export type ModelStep = AsyncCommand<World, Chat>;

const cast = { ada: 'admin', ben: 'member', cleo: 'member', dan: 'member', eve: 'guest' } as const satisfies Record<
  string,
  ModelRole
>;
let worlds = 0;

/** New users on the real server, and a model that has them and no other objects. */
export async function createWorld(chat: Chat): Promise<World> {
  const users: TestUser[] = [];
  for (const [name, role] of Object.entries(cast)) users.push(await chat.user(name, { role }));
  const { cross_realm_bots } = await chat.owner.api.registerQueue({ fetch_event_types: ['realm_user'] });
  const own = <T>(make: () => T) => new Map(users.map(({ id }) => [id, make()]));
  return {
    name: `world ${worlds++}`,
    users,
    roles: new Map(users.map(({ id }, n) => [id, Object.values(cast)[n] ?? 'member'])),
    bot_id: cross_realm_bots?.[0]?.user_id ?? 0,
    streams: [],
    messages: new Map(),
    rows: own(() => new Map()),
    news: own(() => []),
    watchers: new Set(),
    awaited: [],
    steps: 0,
  };
}

/**
 * A command that does the same to the server and to the model. `hear: 'after'` for those that make the server send
 * messages of its own; `hear: 'before'` for those after which a user can no longer receive earlier messages.
 */
export function step(
  name: string,
  run: (world: World) => Promise<void>,
  { hear: when }: { hear?: 'before' | 'after' | 'around' } = {},
): ModelStep {
  return {
    check: () => true,
    async run(world) {
      const isTime = ++world.steps % LOOK === 0;
      if (when === 'before' || when === 'around') await hear(world);
      await run(world);
      if (when === 'after' || when === 'around' || isTime) await hear(world);
      if (isTime) await compare(world);
    },
    toString: () => name,
  };
}

/**
 * The end of every history: all users received exactly their messages, and all that they can read is as in the model.
 */
export async function conclude(world: World, chat: Chat): Promise<void> {
  await hear(world);
  await compare(world);
  await probe(world);
  await chat.holdMirrorLaw();
}

/** The `message` events of all users are exactly the records of the model, with the same flags. */
async function hear(world: World): Promise<void> {
  const { users } = world;
  const heard = await Promise.all(users.map((person) => person.takeEvents('message')));
  const unknown = new Map(heard.flat().map(({ message }) => [message.id, message]));
  for (const message of [...unknown.values()].sort((a, b) => a.id - b.id)) {
    if (!world.messages.has(message.id)) meet(world, message);
  }
  expect(world.awaited, 'scheduled messages that are due').toEqual([]);
  users.forEach(({ id, name }, n) => {
    const news = heard[n]?.map(({ message, flags }) => ({ id: message.id, flags }));
    expect(news, `message events that ${name} receives`).toEqual(world.news.get(id)?.splice(0));
  });
}

/** Gives a message of the server's own its id: the model expects it and knows all its other values. */
function meet(world: World, message: Schema<'Message'>): void {
  const { display_recipient: to } = message;
  const ids = Array.isArray(to) ? ascending(to.map((one) => one.id)) : [];
  const found = world.awaited.find((one) =>
    one.stream
      ? message.stream_id === one.stream.id && message.subject.toLowerCase() === one.topic
      : String(one.participants) === String(ids),
  );
  if (!found) throw new Error(`The model does not expect this message: ${JSON.stringify(message)}`);
  world.awaited = world.awaited.filter((one) => one !== found);
  const { stream, topic, participants, unread_only_for } = found;
  const letter = {
    id: message.id,
    sender_id: world.bot_id,
    participants,
    content: '',
    edits: [],
    ...(stream && { stream }),
    ...(topic !== undefined && { topic }),
  };
  const quiet = unread_only_for && [...(stream?.members ?? [])].filter((id) => !unread_only_for.includes(id));
  deliver(world, { read: quiet ?? found.read }, letter);
}

/** Asserts that the server rejects what the model says it must. */
export async function mustFail(call: Promise<unknown>): Promise<void> {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(ParleyError);
  expect((outcome as ParleyError).status).toBe(400);
}
