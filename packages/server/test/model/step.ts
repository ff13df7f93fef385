import type { AsyncCommand } from 'fast-check';
import { expect } from 'vitest';
import { ParleyError } from '@parley/client';
import type { Chat, Person } from '../chat.ts';
import { compare } from './compare.ts';
import { ascending, deliver, type Role, type World } from './world.ts';

/** Steps between two looks at everything. */
const LOOK = 20;

export type Step = AsyncCommand<World, Chat>;

const cast = { ada: 'admin', ben: 'member', cleo: 'member', dan: 'member', eve: 'guest' } as const satisfies Record<string, Role>;
let worlds = 0;

/** New people on the real server, and a model that knows of them and of nothing else. */
export async function createWorld(chat: Chat): Promise<World> {
  const people: Person[] = [];
  for (const [name, role] of Object.entries(cast)) people.push(await chat.user(name, { role }));
  const { cross_realm_bots } = await people[0]!.api.registerQueue({ fetch_event_types: ['realm_user'] });
  const own = <T>(make: () => T) => new Map(people.map(({ id }) => [id, make()]));
  return {
    name: `world ${worlds++}`,
    people,
    roles: new Map(people.map(({ id }, n) => [id, Object.values(cast)[n] ?? 'member'])),
    bot_id: cross_realm_bots?.[0]?.user_id ?? 0,
    places: [],
    letters: new Map(),
    rows: own(() => new Map()),
    news: own(() => []),
    awaited: [],
    steps: 0,
  };
}

/** A command that does the same to the server and to the model, and sends no messages. */
export function quiet(name: string, run: (world: World) => Promise<void>): Step {
  return {
    check: () => true,
    async run(world) {
      await run(world);
      if (++world.steps % LOOK === 0) await compare(world);
    },
    toString: () => name,
  };
}

/** A command that may send messages, or change who gets them: everyone has heard what they had to hear. */
export const step = (name: string, run: (world: World) => Promise<void>): Step =>
  quiet(name, async (world) => {
    await run(world);
    await hear(world);
  });

/** Everyone's `message` events are exactly the records the model made, with the same flags. */
async function hear(world: World): Promise<void> {
  const { people } = world;
  const heard = await Promise.all(people.map((person) => person.hears('message')));
  const unknown = new Map(heard.flat().flatMap(({ message }) => (world.letters.has(message.id) ? [] : [[message.id, message] as const])));
  for (const id of ascending(unknown.keys())) meet(world, unknown.get(id)!);
  expect(world.awaited, 'messages that the server had to send').toEqual([]);
  people.forEach(({ id, name }, n) => {
    const news = heard[n]?.map(({ message, flags }) => ({ id: message.id, flags }));
    expect(news, `messages that ${name} hears of`).toEqual(world.news.get(id)?.splice(0));
  });
}

type Message = Awaited<ReturnType<Person['hears']>>[number] extends infer E ? (E extends { message: infer M } ? M : never) : never;

/** Gives a message of the server's own its id: the model waits for it and knows all the rest. */
function meet(world: World, message: Message): void {
  const { display_recipient: to } = message;
  const ids = Array.isArray(to) ? ascending(to.map((one) => one.id)) : [];
  const found = world.awaited.find((one) =>
    one.place ? message.stream_id === one.place.id && message.subject.toLowerCase() === one.topic : String(one.people) === String(ids),
  );
  if (!found) throw new Error(`Nobody waits for this message: ${JSON.stringify(message)}`);
  world.awaited = world.awaited.filter((one) => one !== found);
  deliver(world, { ...found, id: message.id, sender_id: world.bot_id }, { read: found.read });
}

/** Asserts that the server refuses what the model says it must. */
export async function mustRefuse(call: Promise<unknown>): Promise<void> {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(ParleyError);
  expect((outcome as ParleyError).status).toBe(400);
}

