import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

test('a stream is found by its name, whatever its case', async () => {
  const [ada] = await chat.users('ada');
  const stream_id = await chat.stream('Flower bed', { by: ada });
  expect(await ada.api.getStreamId({ stream: ' FLOWER bed' })).toMatchObject({ stream_id });
});

test('a private stream is found by its subscribers and administrators, and is reported as unknown to others', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const guest = await chat.user('guest', { role: 'guest' });
  const iago = await chat.user('iago', { role: 'admin' });
  const stream_id = await chat.stream('secret', { by: ada, invite_only: true });
  await chat.stream('open', { by: ada });
  for (const who of [ada, iago]) {
    expect(await who.api.getStreamId({ stream: 'secret' })).toMatchObject({ stream_id });
  }
  const hidden = await expectError('BAD_REQUEST', ben.api.getStreamId({ stream: 'secret' }));
  const missing = await expectError('BAD_REQUEST', ben.api.getStreamId({ stream: 'no such stream' }));
  expect(hidden.msg.replace('secret', '')).toBe(missing.msg.replace('no such stream', ''));
  await expectError('BAD_REQUEST', guest.api.getStreamId({ stream: 'open' }));
});

test('an administrator adds and removes a default stream, and all users receive the events', async () => {
  const [ada] = await chat.users('ada');
  const iago = await chat.user('iago', { role: 'admin' });
  const stream_id = await chat.stream('welcome', { by: ada });
  await ada.takeEvents();
  await iago.api.addDefaultStream({ stream_id });
  expect(await ada.takeEvents('default_streams')).toHaveLength(1);
  expect(await ada.api.getStream({ stream_id })).toMatchObject({ stream: { is_default: true } });
  await iago.api.addDefaultStream({ stream_id });
  expect(await ada.takeEvents()).toEqual([]);
  await iago.api.removeDefaultStream({ stream_id });
  expect(await ada.takeEvents('default_streams')).toHaveLength(1);
  expect(await ada.api.getStream({ stream_id })).toMatchObject({ stream: { is_default: false } });
});

test('a private stream cannot be a default stream, and members cannot change default streams', async () => {
  const [ada] = await chat.users('ada');
  const iago = await chat.user('iago', { role: 'admin' });
  const stream_id = await chat.stream('leads', { by: ada, members: [iago], invite_only: true });
  await expectError('BAD_REQUEST', iago.api.addDefaultStream({ stream_id }));
  await expectError('UNAUTHORIZED_PRINCIPAL', ada.api.addDefaultStream({ stream_id }));
  await expectError('UNAUTHORIZED_PRINCIPAL', ada.api.removeDefaultStream({ stream_id }));
});
