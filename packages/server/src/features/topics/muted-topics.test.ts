import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

test('a topic is muted and unmuted by the id or the name of its stream', async () => {
  const [ada] = await chat.users('ada');
  const stream_id = await chat.stream('loud', { by: ada });
  await ada.takeEvents();
  await ada.api.updateMutedTopic({ stream_id, topic: 'noise', op: 'add' });
  expect(await ada.takeEvents('user_topic')).toMatchObject([{ stream_id, topic_name: 'noise', visibility_policy: 1 }]);
  await ada.api.updateMutedTopic({ stream: 'loud', topic: 'Noise', op: 'add' });
  expect(await ada.takeEvents()).toEqual([]);
  await ada.api.updateMutedTopic({ stream: 'loud', topic: 'Noise', op: 'remove' });
  expect(await ada.takeEvents('user_topic')).toMatchObject([{ topic_name: 'noise', visibility_policy: 0 }]);
});

test('a topic that is not muted cannot be unmuted: a followed topic stays followed', async () => {
  const [ada] = await chat.users('ada');
  const stream_id = await chat.stream('dearest', { by: ada });
  await ada.api.updateUserTopic({ stream_id, topic: 'dear', visibility_policy: 3 });
  await expectError('BAD_REQUEST', ada.api.updateMutedTopic({ stream_id, topic: 'dear', op: 'remove' }), /topic/);
  await expectError('BAD_REQUEST', ada.api.updateMutedTopic({ stream_id, topic: 'none', op: 'remove' }), /topic/);
  const { user_topics } = await ada.api.registerQueue({ fetch_event_types: ['user_topic'] });
  expect(user_topics).toMatchObject([{ topic_name: 'dear', visibility_policy: 3 }]);
});

test('the stream is named once, and the caller must be able to read it', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const secret = { id: await chat.stream('hush', { by: ben, invite_only: true }), name: 'hush' };
  await expectError('BAD_REQUEST', ada.api.updateMutedTopic({ topic: 'noise', op: 'add' }), /stream_id/);
  const twice = { stream_id: secret.id, stream: secret.name, topic: 'noise', op: 'add' } as const;
  await expectError('BAD_REQUEST', ben.api.updateMutedTopic(twice), /stream_id/);
  for (const stream of [{ stream_id: secret.id }, { stream: secret.name }]) {
    await expectError('BAD_REQUEST', ada.api.updateMutedTopic({ ...stream, topic: 'noise', op: 'add' }));
    await expectError('BAD_REQUEST', ada.api.updateMutedTopic({ ...stream, topic: 'noise', op: 'remove' }));
  }
});
