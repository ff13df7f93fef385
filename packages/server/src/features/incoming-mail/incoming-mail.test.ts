import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, type Person, refused, startChat } from '../../../test/chat.ts';
import { scene, shared } from '../../../test/scene.ts';
import { type Letter, partsOf, postLetter, streamOfToken } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const addressFor = async ({ api }: Person, stream_id: number) => (await api.getStreamEmailAddress({ stream_id })).email;
const tokenIn = (address: string) => partsOf(address)?.token ?? '';
const streamOf = (address: string) => streamOfToken(chat.app.secret, chat.realm.id, tokenIn(address));
let made = 0;
const letter = (more: Partial<Letter> = {}): Letter => ({
  message_id: `<${made++}@example.com>`,
  from: 'Ada (ada@example.com)',
  subject: 'Soup',
  text: 'It is ready.',
  files: [],
  ...more,
});
const post = (stream_id: number, given: Letter) =>
  chat.act((ctx) => postLetter(ctx, stream_id, given, chat.app.unseal));

test('the address of a stream is the same for everyone who may post to it, and stays when the stream is renamed', async () => {
  const { ada, ben, id } = await scene(chat);
  const address = await addressFor(ada, id);
  expect(address).toMatch(/^room-\d+\.[a-z2-7]{24}[a-z0-9]+@[a-z0-9.]+$/);
  expect(await addressFor(ben, id)).toBe(address);
  expect(streamOf(address)).toBe(id);
  await chat.owner.api.updateStream({ stream_id: id, new_name: `kitchen ${id}` });
  const renamed = await addressFor(ada, id);
  expect(renamed).toMatch(/^kitchen-/);
  expect(tokenIn(renamed)).toBe(tokenIn(address));
});

test('no other token is good: not one changed, of another stream, or of another organization', async () => {
  const { ada, id } = await scene(chat);
  const token = tokenIn(await addressFor(ada, id));
  const changed = `${token.startsWith('a') ? 'b' : 'a'}${token.slice(1)}`;
  for (const wrong of [changed, `${token.slice(0, 24)}${(id + 1).toString(36)}`, token.slice(0, 24), ''])
    expect(streamOfToken(chat.app.secret, chat.realm.id, wrong)).toBeUndefined();
  expect(streamOfToken(chat.app.secret, chat.realm.id + 1, token)).toBeUndefined();
  expect(streamOfToken('another secret of at least thirty-two', chat.realm.id, token)).toBeUndefined();
});

test('who may not post to a stream does not get its address; one that they do not see is as if it were not there', async () => {
  const [cleo] = await chat.users('cleo');
  const gus = await chat.user('gus', { role: 'guest' });
  const { ben, id } = await scene(chat, [], shared);
  for (const person of [cleo, gus]) {
    const unknown = await refused('BAD_REQUEST', person.api.getStreamEmailAddress({ stream_id: 987_654 }));
    const hidden = await refused('BAD_REQUEST', person.api.getStreamEmailAddress({ stream_id: id }));
    expect(hidden.msg).toBe(unknown.msg.replace('987654', String(id)));
  }
  // An administrator sees that there is a private stream, and cannot write to it.
  await refused('BAD_REQUEST', chat.owner.api.getStreamEmailAddress({ stream_id: id }), /Not authorized/);
  await ben.api.getStreamEmailAddress({ stream_id: id });
  const open = await scene(chat);
  await chat.owner.api.updateStream({ stream_id: open.id, stream_post_policy: 2 });
  await refused('BAD_REQUEST', open.ben.api.getStreamEmailAddress({ stream_id: open.id }), /Only administrators/);
  await chat.owner.api.getStreamEmailAddress({ stream_id: open.id });
});

test('a letter becomes a message of the Notification Bot, once however often it comes', async () => {
  const { ada, ben, id, quiet } = await scene(chat);
  await quiet();
  const given = letter({ subject: 'Re: Soup', text: `Hello @**all**, @**${ben.full_name}**` });
  expect(await Promise.all([post(id, given), post(id, given), post(id, given)])).toEqual([true, true, true]);
  expect(await post(id, given)).toBe(true);
  const heard = await ben.hears('message');
  expect(heard).toMatchObject([
    { flags: [], message: { sender_full_name: 'Notification Bot', stream_id: id, subject: 'Soup' } },
  ]);
  expect(heard[0]?.message.content).toContain('Letter from Ada (ada@example.com)');
  await post(id, letter());
  await post(id, letter({ message_id: '' }));
  await post(id, letter({ message_id: '' }));
  expect(await ada.hears('message')).toHaveLength(4);
});

test('the same letter to two streams is posted in both; to an archived one it is not', async () => {
  const [one, other] = [await scene(chat), await scene(chat)];
  const given = letter();
  expect([await post(one.id, given), await post(other.id, given)]).toEqual([true, true]);
  expect(await other.ada.hears('message')).toHaveLength(1);
  await chat.owner.api.archiveStream({ stream_id: one.id });
  expect(await post(one.id, letter())).toBe(false);
});
