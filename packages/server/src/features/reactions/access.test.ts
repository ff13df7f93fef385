// Who can react to which messages, who receives the event, and the side effects of a reaction.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
async function room(by: TestUser, members: TestUser[] = [], settings: object = {}) {
  const name = `room ${made++}`;
  const id = await chat.stream(name, { by, members, ...settings });
  const message_id = await chat.message({ from: by, to: name });
  return { name, id, message_id };
}
const react = ({ api }: TestUser, message_id: number, emoji_name = 'heart') =>
  api.addReaction({ message_id, emoji_name });
const unreact = ({ api }: TestUser, message_id: number) => api.removeReaction({ message_id, emoji_name: 'heart' });
const reactionsOf = async ({ api }: TestUser, message_id: number) =>
  (await api.getMessage({ message_id })).message.reactions;

/** Asserts that the error is the one for a message that does not exist. */
async function isUnknownTo(person: TestUser, message_id: number): Promise<void> {
  for (const attempt of [react, unreact]) {
    const errorResponse = await expectError('BAD_REQUEST', attempt(person, message_id), new RegExp(String(message_id)));
    const unknown = await expectError('BAD_REQUEST', attempt(person, 987_654), /987654/);
    expect({ ...errorResponse, msg: errorResponse.msg.replace(String(message_id), '987654') }).toEqual(unknown);
  }
}

describe('a message that a user cannot read is reported as unknown, and the attempt emits no event', () => {
  const users = {
    'a member outside a private stream': async (host: TestUser) => ({
      who: await chat.user('mo'),
      message_id: (await room(host, [], { invite_only: true, history_public_to_subscribers: true })).message_id,
    }),
    'an owner outside a private stream': async (host: TestUser) => ({
      who: await chat.user('olga', { role: 'owner' }),
      message_id: (await room(host, [], { invite_only: true })).message_id,
    }),
    'an ex-member of a private stream': async (host: TestUser) => {
      const who = await chat.user('ed');
      const { name, message_id } = await room(host, [who], { invite_only: true });
      await who.api.unsubscribe({ subscriptions: [name] });
      return { who, message_id };
    },
    'a newcomer to a private stream with protected history': async (host: TestUser) => {
      const who = await chat.user('nia');
      const { name, message_id } = await room(host, [], { invite_only: true });
      await host.api.subscribe({ subscriptions: [{ name }], principals: [who.id] });
      return { who, message_id };
    },
    'a guest outside a public stream': async (host: TestUser) => ({
      who: await chat.user('gus', { role: 'guest' }),
      message_id: (await room(host)).message_id,
    }),
    'a user outside the direct conversation': async (host: TestUser) => ({
      who: await chat.user('eve', { role: 'owner' }),
      message_id: await chat.message({ from: host, to: [host] }),
    }),
    'a user of another organization': async (host: TestUser) => ({
      who: (await chat.otherRealm(`other${made++}`)).owner,
      message_id: (await room(host)).message_id,
    }),
  };
  test.each(Object.entries(users))('to %s', async (_who, make) => {
    const host = await chat.user('hana');
    const { who, message_id } = await make(host);
    await react(host, message_id);
    await host.takeEvents();
    await isUnknownTo(who, message_id);
    expect(await reactionsOf(host, message_id)).toMatchObject([{ user_id: host.id }]);
    expect(await host.takeEvents('reaction')).toEqual([]);
  });
});

test('a user who left a private stream cannot remove their reaction there, and it stays', async () => {
  const [ada, ed] = await chat.users('ada', 'ed');
  const { name, message_id } = await room(ada, [ed], { invite_only: true });
  await react(ed, message_id);
  await ed.api.unsubscribe({ subscriptions: [name] });
  await ada.takeEvents();
  await isUnknownTo(ed, message_id);
  expect(await reactionsOf(ada, message_id)).toMatchObject([{ user_id: ed.id }]);
  expect(await ada.takeEvents('reaction')).toEqual([]);
});

test('the reactions of a user who is removed from a private stream are emitted before the removal, or fail', async () => {
  const [ada, ed] = await chat.users('ada', 'ed');
  const { name, message_id } = await room(ada, [ed], { invite_only: true });
  const names = ['heart', 'tada', 'eyes', 'car', 'rocket', 'house'];
  const outcomes = Promise.allSettled(names.map((one) => react(ed, message_id, one)));
  await chat.owner.api.unsubscribe({ subscriptions: [name], principals: [ed.id] });
  const done = (await outcomes).filter(({ status }) => status === 'fulfilled').length;
  const heard = await ada.takeEvents('reaction', 'subscription');
  expect(heard.filter(({ type }) => type === 'reaction')).toHaveLength(done);
  expect(heard.at(-1)?.type, 'the removal is the last event').toBe('subscription');
  expect(await reactionsOf(ada, message_id)).toHaveLength(done);
});

describe('a reaction is emitted', () => {
  test('to the subscribers of a private stream, and not to users who left it', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const { name, message_id } = await room(ada, [ben, cleo], { invite_only: true });
    await cleo.api.unsubscribe({ subscriptions: [name] });
    await react(ben, message_id);
    expect(await ada.takeEvents('reaction')).toHaveLength(1);
    expect(await ben.takeEvents('reaction')).toHaveLength(1);
    expect(await cleo.takeEvents('reaction')).toEqual([]);
  });

  test('to later subscribers where history is shared, and not where it is protected', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    for (const shared of [true, false]) {
      const settings = { invite_only: true, history_public_to_subscribers: shared };
      const { name, message_id } = await room(ada, [], settings);
      await ada.api.subscribe({ subscriptions: [{ name }], principals: [ben.id] });
      await react(ada, message_id);
      expect(await ben.takeEvents('reaction')).toHaveLength(shared ? 1 : 0);
    }
  });

  test('in a public stream to its subscribers and to users with the message in their history, and to no others', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const { message_id } = await room(ada);
    await ben.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' });
    await react(ada, message_id);
    expect(await ada.takeEvents('reaction')).toHaveLength(1);
    expect(await ben.takeEvents('reaction')).toHaveLength(1);
    expect(await cleo.takeEvents('reaction')).toEqual([]);
  });
});

// shows: 2.33
test("reacting to a message adds it to the user's history, as read and historical", async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { message_id } = await room(ada);
  const history = async () =>
    (await ben.api.getMessages({ anchor: 'newest', num_before: 100, num_after: 0 })).messages.map(({ id }) => id);
  expect(await history()).not.toContain(message_id);
  await react(ben, message_id);
  expect(await history()).toContain(message_id);
  expect((await ben.api.getMessage({ message_id })).message.flags).toEqual(['read', 'historical']);
  expect(await ben.takeEvents('reaction')).toHaveLength(1);
  await unreact(ben, message_id);
  expect(await history(), 'the reaction stays').toContain(message_id);
});

test('reacting to a received message changes none of its flags', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { message_id } = await room(ada, [ben]);
  await react(ben, message_id);
  expect((await ben.api.getMessage({ message_id })).message.flags).toEqual([]);
});

describe('a reaction counts as participation:', () => {
  // Writes personal settings directly; these users keep no mirror that would differ.
  const quiet = (name: string) => chat.user(name, { mirrored: false });
  const set = (person: TestUser, settings: object) =>
    chat.database.db.execute(`insert into user_settings (realm_id, user_id, overrides) values (${chat.realm.id}, ${person.id}, '${JSON.stringify(settings)}')
      on conflict (realm_id, user_id) do update set overrides = excluded.overrides`);
  const policiesOf = async ({ api }: TestUser) =>
    (await api.registerQueue({ fetch_event_types: ['user_topic'] })).user_topics?.map((one) => one.visibility_policy);

  test.each([
    [1, [3]],
    [2, []],
    [3, []],
    [4, []],
  ])('a user who follows topics by policy %i has then the policies %j', async (policy, expected) => {
    const ben = await quiet('ben');
    const { message_id } = await room(await quiet('ada'), [ben]);
    await set(ben, { automatically_follow_topics_policy: policy });
    await react(ben, message_id);
    expect(await policiesOf(ben)).toEqual(expected);
  });

  test('the user receives one event that they follow the topic', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await set(ben, { automatically_follow_topics_policy: 1 });
    const { id, message_id } = await room(ada, [ben]);
    await react(ben, message_id);
    await react(ben, message_id, 'tada');
    expect(await ben.takeEvents('user_topic')).toMatchObject([
      { stream_id: id, topic_name: 'soup', visibility_policy: 3 },
    ]);
    await set(ben, {});
  });

  test('in a muted stream it unmutes the topic for users with this setting', async () => {
    const ben = await quiet('ben');
    const { id, message_id } = await room(await quiet('ada'), [ben]);
    await set(ben, { automatically_follow_topics_policy: 4, automatically_unmute_topics_in_muted_streams_policy: 1 });
    await ben.api.updateSubscriptionProperty({ stream_id: id, property: 'is_muted', value: true });
    await react(ben, message_id);
    expect(await policiesOf(ben)).toEqual([2]);
  });

  test('bots follow no topic', async () => {
    const ben = await quiet('ben');
    const bot = await chat.user('bo', { bot_of: ben, mirrored: false });
    await set(bot, { automatically_follow_topics_policy: 1 });
    const { message_id } = await room(await quiet('ada'), [bot]);
    await react(bot, message_id);
    expect(await policiesOf(bot)).toEqual([]);
  });

  test('a topic wildcard mentions users who reacted in the topic', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const { name, message_id } = await room(ada, [ben, cleo]);
    await react(ben, message_id);
    await Promise.all([ben.takeEvents(), cleo.takeEvents()]);
    await chat.message({ from: ada, to: name, content: '@**topic** soup!' });
    expect((await ben.takeEvents('message')).map(({ flags }) => flags)).toEqual([
      ['wildcard_mentioned', 'topic_wildcard_mentioned'],
    ]);
    expect((await cleo.takeEvents('message')).map(({ flags }) => flags)).toEqual([[]]);
  });
});

describe('concurrently', () => {
  const names = ['heart', 'tada', 'eyes', 'car', 'rocket', 'house'];

  test('of a deletion and reactions, the reactions succeed before it or fail as for an unknown message', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    for (const to of [(await room(ada, [ben])).name, [ben]]) {
      const message_id = await chat.message({ from: chat.owner, to });
      const reacting = Promise.allSettled(names.map((one) => react(ben, message_id, one)));
      await chat.owner.api.deleteMessage({ message_id });
      for (const outcome of await reacting) {
        if (outcome.status === 'fulfilled') continue;
        expect(outcome.reason).toMatchObject({
          code: 'BAD_REQUEST',
          body: { msg: `There is no message ${message_id}.` },
        });
      }
    }
  });

  test('of a move and reactions, the reactions count where the message is', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { name, message_id } = await room(ada, [ben]);
    await chat.message({ from: ada, to: name });
    const other = (await room(ada, [ben])).id;
    const reacting = Promise.all(names.map((one) => react(ben, message_id, one)));
    await chat.owner.api.subscribe({ subscriptions: [{ name }] });
    await chat.owner.api.updateMessage({ message_id, topic: 'stew' });
    await chat.owner.api.updateMessage({ message_id, stream_id: other });
    await reacting;
    const locations = await rows<{ topic: string; at: number }>(
      chat.database.db,
      sql`select t.name as topic, t.conversation_id as at from reactions r join topics t on t.realm_id = r.realm_id and t.id = r.topic_id
          where r.message_id = ${message_id}`,
    );
    expect(locations).toEqual(names.map(() => ({ topic: 'stew', at: other })));
    expect(await reactionsOf(ada, message_id)).toHaveLength(names.length);
  });
});
