// Time limits of edits and deletions. The clock of this organization is stopped, so that a limit is hit exactly.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  chat.clock.stop();
  // Messages sent late in a second show whether their age is counted from the beginning of that second.
  chat.clock.advance({ seconds: 1.9 - (chat.clock().getTime() % 1000) / 1000 });
  await chat.owner.api.updateRealm({ delete_own_message_policy: 5 });
});
afterAll(() => chat.close());

const MILLISECOND = { seconds: 0.001 };
const set = (settings: Parameters<TestUser['api']['updateRealm']>[0]) => chat.owner.api.updateRealm(settings);

const ways = [
  [
    'edited',
    'message_content_edit_limit_seconds',
    (by: TestUser, id: number) => by.api.updateMessage({ message_id: id, content: 'x' }),
  ],
  [
    'deleted',
    'message_content_delete_limit_seconds',
    (by: TestUser, id: number) => by.api.deleteMessage({ message_id: id }),
  ],
] as const;

// shows: 4.4.19, 8.7
test.each(ways)(
  'a message can be %s until its limit is reached, and not a millisecond longer',
  async (_done, limit, act) => {
    const { ben, send } = await createStreamFixture(chat);
    await set({ [limit]: 60 });
    const [early, late] = [await send(ben), await send(ben)];
    chat.clock.advance({ seconds: 60 });
    await act(ben, early);
    chat.clock.advance(MILLISECOND);
    await expectError('BAD_REQUEST', act(ben, late), /time/);
    expect((await ben.api.getMessage({ message_id: late })).raw_content).toBe('hello');
  },
);

test.each(ways)('a message can be %s for ten minutes by default', async (_done, limit, act) => {
  const fresh = await startChat();
  try {
    fresh.clock.stop();
    const ada = await fresh.user('ada', { mirrored: false });
    await fresh.owner.api.updateRealm({ delete_own_message_policy: 5 });
    const [one, other] = [await fresh.message({ from: ada, to: [ada] }), await fresh.message({ from: ada, to: [ada] })];
    fresh.clock.advance({ seconds: 600 });
    await act(ada, one);
    fresh.clock.advance(MILLISECOND);
    await expectError('BAD_REQUEST', act(ada, other), /time/);
    await fresh.owner.api.updateRealm({ [limit]: 'unlimited' });
    fresh.clock.advance({ days: 1000 });
    await act(ada, other);
  } finally {
    await fresh.close();
  }
});

// shows: 8.7 [admin] [true], 8.7 [member] [false], 8.8
test.each([
  ['owner', true],
  ['admin', true],
  ['moderator', false],
  ['member', false],
  ['guest', false],
] as const)('the limits apply to a user with the role %s: %s exempt', async (role, exempt) => {
  const person = await chat.user('eve', { role });
  const { send } = await createStreamFixture(chat, [person]);
  await set({ message_content_edit_limit_seconds: 60, message_content_delete_limit_seconds: 60 });
  const id = await send(person);
  await person.api.updateMessage({ message_id: id, content: 'in time' });
  chat.clock.advance({ seconds: 61 });
  for (const [, , act] of ways) {
    if (exempt) await act(person, id);
    else await expectError('BAD_REQUEST', act(person, id), /time/);
  }
});

test('the limit at the time of the edit applies', async () => {
  const { ben, send } = await createStreamFixture(chat);
  await set({ message_content_edit_limit_seconds: 60 });
  const message_id = await send(ben);
  chat.clock.advance({ seconds: 100 });
  await expectError('BAD_REQUEST', ben.api.updateMessage({ message_id, content: 'x' }), /time/);
  await set({ message_content_edit_limit_seconds: 200 });
  await ben.api.updateMessage({ message_id, content: 'x' });
  // An edit does not change the age of the message.
  chat.clock.advance({ seconds: 101 });
  await expectError('BAD_REQUEST', ben.api.updateMessage({ message_id, content: 'y' }), /time/);
});

test('the limit for content does not apply to topics', async () => {
  const { ben, send } = await createStreamFixture(chat);
  await set({ message_content_edit_limit_seconds: 60 });
  const message_id = await send(ben);
  chat.clock.advance({ seconds: 61 });
  await ben.api.updateMessage({ message_id, topic: 'stew' });
  await expectError('BAD_REQUEST', ben.api.updateMessage({ message_id, topic: 'soup', content: 'x' }), /time/);
  expect((await ben.api.getMessage({ message_id })).message.subject).toBe('stew');
});
