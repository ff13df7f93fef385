import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { copyScheduled, inSeconds, pass, schedule, scheduledBy } from '../../../test/scheduling.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

const stateOf = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['scheduled_messages'] })).scheduled_messages;

// shows: 2.46, 2.48
test('scheduled messages are listed, registered and emitted for their author alone, in the order of their times', async () => {
  const { ada, ben, id } = await createStreamFixture(chat);
  const later = inSeconds(chat, 7200);
  const second = await schedule(chat, ada, id, { content: '**late**', scheduled_delivery_timestamp: later });
  const time = inSeconds(chat, 60);
  const first = await schedule(chat, ada, [ben], { content: 'soon', scheduled_delivery_timestamp: time });
  const direct = {
    scheduled_message_id: first,
    type: 'direct',
    to: [ben.id],
    content: 'soon',
    rendered_content: '<p>soon</p>',
    scheduled_delivery_timestamp: time,
    failed: false,
  };
  const inStream = {
    ...direct,
    scheduled_message_id: second,
    type: 'stream',
    to: id,
    topic: 'soup',
    content: '**late**',
    rendered_content: '<p><strong>late</strong></p>',
    scheduled_delivery_timestamp: later,
  };
  expect(await scheduledBy(ada)).toEqual([direct, inStream]);
  expect(await stateOf(ada)).toEqual([direct, inStream]);
  expect(await ada.takeEvents()).toEqual([
    { id: expect.any(Number), type: 'scheduled_messages', op: 'add', scheduled_messages: [inStream] },
    { id: expect.any(Number), type: 'scheduled_messages', op: 'add', scheduled_messages: [direct] },
  ]);
  expect(await ben.takeEvents()).toEqual([]);
  expect(await scheduledBy(ben)).toEqual([]);
});

// shows: 2.45, 4.11.1, 9.11
test('private is an alias of direct, and never returned', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await schedule(chat, ada, [ben], { type: 'private' });
  expect(await scheduledBy(ada)).toMatchObject([{ type: 'direct', to: [ben.id] }]);
});

// shows: 2.47
test('topic and content are normalized as for a message; the topic of a direct message is ignored', async () => {
  const { ada, ben, id } = await createStreamFixture(chat);
  await schedule(chat, ada, id, { topic: '  soup ', content: '\n\nhot  \n' });
  await schedule(chat, ada, [ben], { topic: 'soup', scheduled_delivery_timestamp: inSeconds(chat, 90) });
  const [inStream, direct] = await scheduledBy(ada);
  expect(inStream).toMatchObject({ topic: 'soup', content: 'hot' });
  expect(direct).not.toHaveProperty('topic');
});

test('deleting a scheduled message emits an event to its author, and nothing is sent', async () => {
  const { ada, ben, id, discardEvents } = await createStreamFixture(chat);
  const waiting = await schedule(chat, ada, id);
  await discardEvents();
  expect(await ada.api.deleteScheduledMessage({ scheduled_message_id: waiting })).toEqual({});
  expect(await ada.takeEvents()).toMatchObject([
    { type: 'scheduled_messages', op: 'remove', scheduled_message_id: waiting },
  ]);
  expect(await scheduledBy(ada)).toEqual([]);
  await pass(chat);
  expect(await ben.takeEvents()).toEqual([]);
});

// shows: 4.11.10, 7.4
test('an unknown id, and one of another user or organization, returns 404 and changes nothing', async () => {
  const { ada, ben, id } = await createStreamFixture(chat);
  const other = await chat.otherRealm('elsewhere');
  const waiting = await schedule(chat, ada, id);
  const calls = {
    deleteScheduledMessage: (who: TestUser, scheduled_message_id: number) =>
      who.api.deleteScheduledMessage({ scheduled_message_id }),
    updateScheduledMessage: (who: TestUser, scheduled_message_id: number) =>
      who.api.updateScheduledMessage({ scheduled_message_id, content: 'mine' }),
  };
  for (const call of Object.values(calls)) {
    for (const [who, what] of [
      [ada, 987_654],
      [ada, Number.MAX_SAFE_INTEGER],
      [ben, waiting],
      [chat.owner, waiting],
      [other.owner, waiting],
    ] as const) {
      const errorResponse = call(who, what);
      await expect(errorResponse).rejects.toMatchObject({ status: 404 });
      await expectError('BAD_REQUEST', errorResponse, new RegExp(`no scheduled message ${what}`));
    }
  }
  expect(await scheduledBy(ada)).toMatchObject([{ scheduled_message_id: waiting, content: 'later' }]);
});

test('bots and guests can schedule messages, too', async () => {
  const { ada, id } = await createStreamFixture(chat);
  const gus = await chat.user('gus', { role: 'guest' });
  const bo = await chat.user('bo', { bot_of: ada });
  await ada.api.subscribe({ subscriptions: [{ name: await nameOf(ada, id) }], principals: [gus.id] });
  for (const person of [gus, bo]) {
    await schedule(chat, person, id);
    expect(await scheduledBy(person)).toHaveLength(1);
  }
});

const nameOf = async ({ api }: TestUser, id: number) => (await api.getStream({ stream_id: id })).stream.name;

test('a user has at most a thousand scheduled messages, also with concurrent requests', async () => {
  const { id } = await createStreamFixture(chat);
  const eve = await chat.user('eve', { mirrored: false });
  const first = await schedule(chat, eve, id, { scheduled_delivery_timestamp: inSeconds(chat, 36_000) });
  await copyScheduled(chat, first, 998);
  const outcomes = await Promise.allSettled([schedule(chat, eve, id), schedule(chat, eve, id)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expectError('BAD_REQUEST', schedule(chat, eve, id), /1000 scheduled messages/);
});

describe('scheduling fails', () => {
  let here: Awaited<ReturnType<typeof createStreamFixture>>;
  let eve: TestUser;
  beforeAll(async () => {
    here = await createStreamFixture(chat);
    eve = await chat.user('eve', { mirrored: false });
  });
  const attempts: [string, (eve: TestUser) => Promise<unknown>, RegExp][] = [
    [
      'for the past',
      (eve) => schedule(chat, eve, here.id, { scheduled_delivery_timestamp: inSeconds(chat, -1) }),
      /^scheduled_delivery_timestamp.*future/,
    ],
    [
      'for this moment',
      (eve) => schedule(chat, eve, here.id, { scheduled_delivery_timestamp: inSeconds(chat, 0) }),
      /^scheduled_delivery_timestamp.*future/,
    ],
    [
      'for the year 10000',
      (eve) => schedule(chat, eve, here.id, { scheduled_delivery_timestamp: 253_402_300_800 }),
      /^scheduled_delivery_timestamp.*9999/,
    ],
    [
      'without a topic in a stream',
      (eve) =>
        eve.api.scheduleMessage({
          type: 'stream',
          to: here.id,
          content: 'x',
          scheduled_delivery_timestamp: inSeconds(chat, 60),
        } as never),
      /^topic/,
    ],
    ['with a blank topic', (eve) => schedule(chat, eve, here.id, { topic: '  ' }), /^topic.*blank/],
    ['with a topic that is too long', (eve) => schedule(chat, eve, here.id, { topic: 'x'.repeat(61) }), /^topic.*60/],
    ['with blank content', (eve) => schedule(chat, eve, here.id, { content: ' \n' }), /^content.*blank/],
    [
      'with content that is too long',
      (eve) => schedule(chat, eve, here.id, { content: 'x'.repeat(10_001) }),
      /^content.*10000/,
    ],
    ['to a list of streams', (eve) => schedule(chat, eve, here.id, { to: [here.id] }), /^to/],
    ['to a person who is no list', (eve) => schedule(chat, eve, [here.ben], { to: here.ben.id }), /^to/],
    ['without recipients', (eve) => schedule(chat, eve, []), /^to.*recipient/],
    ['to an unknown user', (eve) => schedule(chat, eve, [{ id: 987_654 }]), /987654/],
    ['to an email address', (eve) => schedule(chat, eve, [here.ben], { to: [here.ben.email] as never }), /to/],
  ];
  test.each(attempts)('%s', async (_, call, named) => {
    await expectError('BAD_REQUEST', call(eve), named);
    expect(await scheduledBy(eve)).toEqual([]);
  });

  test('to a stream that does not exist or that the author cannot see', async () => {
    const secret = await chat.stream('secret', { by: here.ada, invite_only: true });
    for (const stream_id of [987_654, secret]) {
      const errorResponse = await expectError(
        'STREAM_DOES_NOT_EXIST',
        schedule(chat, eve, stream_id),
        new RegExp(`${stream_id}`),
      );
      expect(errorResponse).toMatchObject({ stream_id });
    }
  });

  test('to a deactivated user, with their id in the error', async () => {
    const dan = await chat.user('dan', { mirrored: false });
    await chat.database.db.execute(`update users set is_active = false where id = ${dan.id}`);
    await expectError('BAD_REQUEST', schedule(chat, eve, [dan]), new RegExp(`${dan.id} is deactivated`));
  });

  test('where the author cannot post, and to users while direct messages are disabled', async () => {
    const news = await chat.stream('news', { by: chat.owner, stream_post_policy: 2 });
    await expectError('BAD_REQUEST', schedule(chat, eve, news), /administrators/);
    await chat.owner.api.updateRealm({ private_message_policy: 2 });
    await expectError('BAD_REQUEST', schedule(chat, eve, [here.ben]), /disabled/);
    await chat.owner.api.updateRealm({ private_message_policy: 1, mandatory_topics: true });
    await expectError('BAD_REQUEST', schedule(chat, eve, here.id, { topic: '(no topic)' }), /^topic/);
    await chat.owner.api.updateRealm({ mandatory_topics: false });
  });

  test('with a wildcard or group mention that the author is not permitted', async () => {
    const crowd = await Promise.all(Array.from({ length: 16 }, () => chat.user('fan', { mirrored: false })));
    const hall = await chat.stream('hall', { by: chat.owner, members: [eve, ...crowd] });
    for (const fan of crowd) await chat.message({ from: fan, to: 'hall' });
    const mention = (content: string, topic = 'soup') => schedule(chat, eve, hall, { content, topic });
    await expectError('STREAM_WILDCARD_MENTION_NOT_ALLOWED', mention('@**all**'));
    await expectError('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', mention('@**topic**'));
    await expectError('BAD_REQUEST', mention('@*role:owners*'), /role:owners/);
    expect(await scheduledBy(eve)).toEqual([]);
    const allowed = await mention('@**topic**', 'a new topic');
    await eve.api.deleteScheduledMessage({ scheduled_message_id: allowed });
  });

  test('without a required parameter', async () => {
    for (const missing of ['type', 'to', 'content', 'scheduled_delivery_timestamp']) {
      const params = {
        type: 'stream',
        to: here.id,
        topic: 'soup',
        content: 'x',
        scheduled_delivery_timestamp: inSeconds(chat, 60),
      };
      const { [missing as 'to']: _, ...rest } = params;
      const errorResponse = await expectError('REQUEST_VARIABLE_MISSING', eve.api.scheduleMessage(rest as never));
      expect(errorResponse.var_name).toBe(missing);
    }
  });
});
