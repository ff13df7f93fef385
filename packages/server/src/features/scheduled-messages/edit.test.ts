import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { inSeconds, pass, schedule, scheduledBy } from '../../../test/scheduling.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

type Changes = Omit<Parameters<TestUser['api']['updateScheduledMessage']>[0], 'scheduled_message_id'>;
const edit = ({ api }: TestUser, scheduled_message_id: number, changes: Changes) =>
  api.updateScheduledMessage({ scheduled_message_id, ...changes });

describe('changing a scheduled message', () => {
  // shows: 4.11.5
  test('changes the given values and nothing else, and emits the whole message to the author', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    const waiting = await schedule(chat, ada, id);
    const [before] = await scheduledBy(ada);
    await ada.takeEvents();
    expect(await edit(ada, waiting, { content: '*new*' })).toEqual({});
    const after = { ...before, content: '*new*', rendered_content: '<p><em>new</em></p>' };
    expect(await scheduledBy(ada)).toEqual([after]);
    expect(await ada.takeEvents()).toEqual([
      { id: expect.any(Number), type: 'scheduled_messages', op: 'update', scheduled_message: after },
    ]);
    expect(await ben.takeEvents()).toEqual([]);
    await edit(ada, waiting, { topic: ' salad ' });
    const time = inSeconds(chat, 500);
    await edit(ada, waiting, { scheduled_delivery_timestamp: time });
    expect(await scheduledBy(ada)).toEqual([{ ...after, topic: 'salad', scheduled_delivery_timestamp: time }]);
  });

  // shows: 4.11.4
  test('without `type`, `to` is parsed by the type of the message', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    const kitchen = await chat.stream('kitchen', { by: ada });
    const [inStream, direct] = [await schedule(chat, ada, id), await schedule(chat, ada, [ben])];
    await edit(ada, inStream, { to: kitchen });
    await edit(ada, direct, { to: [ada.id, ben.id, ben.id] });
    expect(await scheduledBy(ada)).toMatchObject([
      { type: 'stream', to: kitchen, topic: 'soup' },
      { type: 'direct', to: [ada.id, ben.id] },
    ]);
    await expectError('BAD_REQUEST', edit(ada, inStream, { to: [kitchen] }), /^to/);
    await expectError('BAD_REQUEST', edit(ada, direct, { to: ben.id }), /^to/);
    await expectError('BAD_REQUEST', edit(ada, direct, { to: [] }), /^to.*recipient/);
  });

  // shows: 4.11.1, 4.11.2, 4.11.3
  test('with another type needs `to`, for a stream also a topic; with the present type neither', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    const waiting = await schedule(chat, ada, [ben]);
    await expectError('BAD_REQUEST', edit(ada, waiting, { type: 'stream' }), /^to/);
    await expectError('BAD_REQUEST', edit(ada, waiting, { type: 'stream', topic: 'soup' }), /^to/);
    await expectError('BAD_REQUEST', edit(ada, waiting, { type: 'stream', to: id }), /^topic/);
    await edit(ada, waiting, { type: 'private' });
    await edit(ada, waiting, { type: 'stream', to: id, topic: 'soup' });
    expect(await scheduledBy(ada)).toMatchObject([{ type: 'stream', to: id, topic: 'soup' }]);
    await expectError('BAD_REQUEST', edit(ada, waiting, { type: 'direct' }), /^to/);
    await edit(ada, waiting, { type: 'stream' });
    await edit(ada, waiting, { type: 'private', to: [ben.id] });
    const [direct] = await scheduledBy(ada);
    expect(direct).toMatchObject({ type: 'direct', to: [ben.id] });
    expect(direct).not.toHaveProperty('topic');
    await expectError('BAD_REQUEST', edit(ada, waiting, { type: 'letter' as never }), /type/);
  });

  // shows: 4.11.6
  test('ignores the topic of a direct message; that of a stream message must not be blank or too long', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    const [direct, inStream] = [await schedule(chat, ada, [ben]), await schedule(chat, ada, id)];
    expect(await edit(ada, direct, { topic: ' ' })).toEqual({});
    expect((await scheduledBy(ada))[0]).not.toHaveProperty('topic');
    await expectError('BAD_REQUEST', edit(ada, inStream, { topic: ' ' }), /^topic.*blank/);
    await expectError('BAD_REQUEST', edit(ada, inStream, { topic: 'x'.repeat(61) }), /^topic.*60/);
  });

  test('needs at least one change, and a time in the future', async () => {
    const { ada, id } = await createStreamFixture(chat);
    const waiting = await schedule(chat, ada, id);
    await ada.takeEvents();
    await expectError('BAD_REQUEST', edit(ada, waiting, {}), /nothing to change/);
    for (const seconds of [-5, 0]) {
      const time = inSeconds(chat, seconds);
      await expectError('BAD_REQUEST', edit(ada, waiting, { scheduled_delivery_timestamp: time }), /future/);
    }
    expect(await ada.takeEvents()).toEqual([]);
  });

  // shows: 4.11.8, 4.11.9, 7.13
  test('to an unknown stream or user fails with an error that names it, and changes nothing', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    const secret = await chat.stream('secret', { by: ben, invite_only: true });
    const waiting = await schedule(chat, ada, id);
    const [before] = await scheduledBy(ada);
    for (const stream_id of [987_654, secret]) {
      const errorResponse = await expectError(
        'STREAM_DOES_NOT_EXIST',
        edit(ada, waiting, { to: stream_id, content: 'new' }),
      );
      expect(errorResponse).toMatchObject({ stream_id });
    }
    await expectError('BAD_REQUEST', edit(ada, waiting, { type: 'direct', to: [ben.id, 987_654] }), /987654/);
    expect(await scheduledBy(ada)).toEqual([before]);
  });

  test('runs all checks of sending again, except when only the time changes', async () => {
    const { ada, ben, id, name } = await createStreamFixture(chat);
    const waiting = await schedule(chat, ben, id);
    await chat.owner.api.updateStream({ stream_id: id, stream_post_policy: 2 });
    for (const changes of [{ content: 'new' }, { topic: 'new' }, { to: id }, { type: 'stream' }] as const)
      await expectError('BAD_REQUEST', edit(ben, waiting, changes), /administrators/);
    await edit(ben, waiting, { scheduled_delivery_timestamp: inSeconds(chat, 30) });
    await edit(ben, waiting, { type: 'direct', to: [ada.id] });
    await chat.owner.api.updateStream({ stream_id: id, stream_post_policy: 1 });
    const crowd = await Promise.all(Array.from({ length: 16 }, () => chat.user('fan', { mirrored: false })));
    await ada.api.subscribe({ subscriptions: [{ name }], principals: crowd.map((fan) => fan.id) });
    const everyone = { type: 'stream', to: id, topic: 'soup', content: '@**all**' } as const;
    await expectError('STREAM_WILDCARD_MENTION_NOT_ALLOWED', edit(ben, waiting, everyone));
    for (const fan of crowd) await chat.message({ from: fan, to: name });
    await expectError('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', edit(ben, waiting, { ...everyone, content: '@**topic**' }));
    await expectError('BAD_REQUEST', edit(ben, waiting, { content: '@*role:owners*' }), /role:owners/);
    await expectError('BAD_REQUEST', edit(ben, waiting, { content: ' ' }), /^content.*blank/);
    expect(await scheduledBy(ben)).toMatchObject([{ type: 'direct', to: [ada.id], content: 'later' }]);
  });

  test('that was sent already fails, and so does deleting it', async () => {
    const { ada, id } = await createStreamFixture(chat);
    const sent = await schedule(chat, ada, id);
    await pass(chat);
    await expectError('BAD_REQUEST', edit(ada, sent, { content: 'new' }), /sent already/);
    const deletion = ada.api.deleteScheduledMessage({ scheduled_message_id: sent });
    await expect(deletion).rejects.toMatchObject({ status: 400 });
    await expectError('BAD_REQUEST', deletion, /sent already/);
  });

  // shows: 4.11.7
  test('that failed needs a new time; it is then scheduled again and sent', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    const waiting = await schedule(chat, ben, id);
    await chat.owner.api.updateStream({ stream_id: id, stream_post_policy: 2 });
    await pass(chat);
    expect(await scheduledBy(ben)).toMatchObject([{ failed: true }]);
    await chat.owner.api.updateStream({ stream_id: id, stream_post_policy: 1 });
    await expectError('BAD_REQUEST', edit(ben, waiting, { content: 'new' }), /^scheduled_delivery_timestamp.*new time/);
    await ben.takeEvents();
    await edit(ben, waiting, { content: 'new', scheduled_delivery_timestamp: inSeconds(chat, 5) });
    expect(await ben.takeEvents()).toMatchObject([
      { op: 'update', scheduled_message: { failed: false, content: 'new' } },
    ]);
    await ada.takeEvents();
    await pass(chat, { seconds: 6 });
    expect(await ada.takeEvents('message')).toMatchObject([{ message: { content: '<p>new</p>', sender_id: ben.id } }]);
    expect(await scheduledBy(ben)).toEqual([]);
  });
});
