// Two users who concurrently move the same messages: no request fails with an error of the database, no message is lost
// or duplicated, and the events of all users end with the state of the database.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { followLocations, runConcurrently } from '../../../test/message-locations.ts';
import { createRoom, postSeveral, type Room } from '../../../test/rooms.ts';
import { createRandom, type Random } from '../../cli/populate/random.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

interface Fixture {
  here: Room;
  there: Room;
  ids: number[];
}
type Change = { stream_id?: number; topic?: string };
/** The changes of both users in a round. */
type Duel = (scene: Fixture, chances: Random, round: number) => readonly [Change, Change];

const modes = ['change_one', 'change_later', 'change_all'] as const;
const names = ['soup', 'stew', 'Soup', '✔ soup', 'broth'];

const duels: [string, Duel][] = [
  ['give its topic two names', (_scene, _chances, n) => [{ topic: `a${n}` }, { topic: `b${n}` }]],
  ['give its topic the same name', (_scene, _chances, n) => [{ topic: `a${n}` }, { topic: `A${n}` }]],
  [
    'rename and move it to another stream',
    ({ here, there }, _chances, n) => [{ topic: `a${n}` }, { stream_id: n % 2 ? here.id : there.id }],
  ],
  ['move it in both directions', ({ here, there }) => [{ stream_id: here.id }, { stream_id: there.id }]],
  [
    'move it anywhere',
    ({ here, there }, { pick }) => [
      { stream_id: pick([here.id, there.id]), topic: pick(names) },
      { stream_id: pick([here.id, there.id]), topic: pick(names) },
    ],
  ],
];

const ROUNDS = 20;

test.each(duels)(`two users who ${ROUNDS} times concurrently %s`, async (what, duel) => {
  const [ada, ben, cy] = await chat.users('ada', 'ben', 'cy');
  const [here, there] = [await createRoom(chat, [ada, ben, cy]), await createRoom(chat, [ada, ben, cy])];
  const ids = [...(await postSeveral([ada, ben], here, 3)), ...(await postSeveral([ada, ben], there, 3))];
  const chances = createRandom(what.length);
  const followers = await Promise.all([ada, ben, cy].map((person) => followLocations(person, [here, there])));
  const quiet = { send_notification_to_new_thread: false };
  let done = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const changes = duel({ here, there, ids }, chances, round);
    const moves = ([ada, ben] as TestUser[]).map((person, n) => {
      const [message_id, propagate_mode] = [chances.pick(ids), chances.pick(modes)];
      return () => person.api.updateMessage({ message_id, propagate_mode, ...quiet, ...changes[n] });
    });
    done += (await runConcurrently(moves)).filter(Boolean).length;
    if (round % 5 < 4) continue;
    const [ours = new Map(), ...theirs] = await Promise.all(followers.map((one) => one.catchesUp()));
    for (const other of theirs) expect(other).toEqual(ours);
    expect(ids.filter((id) => !ours.has(id))).toEqual([]);
  }
  expect(done).toBeGreaterThan(ROUNDS / 2);
});
