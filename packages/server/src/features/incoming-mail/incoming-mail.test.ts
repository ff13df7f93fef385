import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture, type StreamFixture, shared } from '../../../test/stream-fixture.ts';
import type { SaltedRealm, Secrets } from '../../core/secrets.ts';
import { findStreamByToken, type IncomingEmail, parseAddress, postIncomingEmail } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const addressFor = async ({ api }: TestUser, stream_id: number) =>
  (await api.getStreamEmailAddress({ stream_id })).email;
const tokenIn = (address: string) => parseAddress(address)?.token ?? '';
const findStream = (token: string, secrets: Secrets = chat.app.secrets, realm: SaltedRealm = chat.realm) =>
  findStreamByToken(chat.database.db, secrets, realm, token);
const streamOf = async (address: string) => (await findStream(tokenIn(address)))?.id;
async function unsubscribe({ api }: TestUser, id: number): Promise<void> {
  const { subscriptions } = await api.getSubscriptions();
  const names = subscriptions.filter(({ stream_id }) => stream_id === id).map(({ name }) => name);
  await api.unsubscribe({ subscriptions: names });
}
const OTHER_SECRET = 'another secret of at least thirty-two';
let made = 0;
const createEmail = (more: Partial<IncomingEmail> = {}): IncomingEmail => ({
  message_id: `<${made++}@example.com>`,
  from: 'Ada (ada@example.com)',
  subject: 'Soup',
  text: 'It is ready.',
  files: [],
  ...more,
});
const post = (stream_id: number, email: IncomingEmail) => chat.act((ctx) => postIncomingEmail(ctx, stream_id, email));

test('the address of a stream is the same for all users who can post to it, and stays when the stream is renamed', async () => {
  const { ada, ben, id } = await createStreamFixture(chat);
  const address = await addressFor(ada, id);
  expect(address).toMatch(/^room-\d+\.[a-z2-7]{24}[a-z0-9]+@[a-z0-9.]+$/);
  expect(await addressFor(ben, id)).toBe(address);
  expect(await streamOf(address)).toBe(id);
  await chat.owner.api.updateStream({ stream_id: id, new_name: `kitchen ${id}` });
  const renamed = await addressFor(ada, id);
  expect(renamed).toMatch(/^kitchen-/);
  expect(tokenIn(renamed)).toBe(tokenIn(address));
});

test('another token is invalid: a changed one, that of another stream, or of another organization', async () => {
  const { ada, id } = await createStreamFixture(chat);
  const token = tokenIn(await addressFor(ada, id));
  const changed = `${token.startsWith('a') ? 'b' : 'a'}${token.slice(1)}`;
  for (const wrong of [changed, `${token.slice(0, 24)}${(id + 1).toString(36)}`, token.slice(0, 24), ''])
    expect(await findStream(wrong)).toBeUndefined();
  const { id: realm_id, key_salt } = chat.realm;
  expect(await findStream(token, chat.app.secrets, { id: realm_id + 1, key_salt })).toBeUndefined();
  expect(await findStream(token, chat.app.secrets, { id: realm_id, key_salt: 'another' })).toBeUndefined();
  expect(await findStream(token, { current: OTHER_SECRET })).toBeUndefined();
});

test('an address made with the previous secret is valid while that secret is configured', async () => {
  const { ada, id } = await createStreamFixture(chat);
  const token = tokenIn(await addressFor(ada, id));
  const { current } = chat.app.secrets;
  expect(await findStream(token)).toEqual({ id, secret: 'current' });
  expect(await findStream(token, { current: OTHER_SECRET, previous: current })).toEqual({ id, secret: 'previous' });
});

test.each<[string, object, (scene: Pick<StreamFixture, 'id' | 'name' | 'ben'>) => Promise<unknown>]>([
  ['a subscriber of a private stream leaves', shared, ({ id, ben }) => unsubscribe(ben, id)],
  ['a subscriber is deactivated', {}, ({ ben }) => chat.owner.api.deactivateUser({ user_id: ben.id })],
  [
    'the stream becomes private',
    {},
    async ({ id, name }) => {
      await chat.owner.api.subscribe({ subscriptions: [{ name }] });
      await chat.owner.api.updateStream({ stream_id: id, is_private: true });
    },
  ],
  ['fewer users may post', {}, ({ id }) => chat.owner.api.updateStream({ stream_id: id, stream_post_policy: 3 })],
])('the address of a stream ends when %s', async (_, settings, lose) => {
  const { ada, ben, id, name } = await createStreamFixture(chat, [], settings);
  const address = await addressFor(ada, id);
  await lose({ id, name, ben });
  expect(await streamOf(address)).toBeUndefined();
  const person = settings === shared ? ada : chat.owner;
  const next = await addressFor(person, id);
  expect(tokenIn(next)).not.toBe(tokenIn(address));
  expect(await streamOf(next)).toBe(id);
});

test('the address of a public stream ends when a member who is not subscribed becomes a guest', async () => {
  const { ada, id } = await createStreamFixture(chat);
  const own = await createStreamFixture(chat);
  const [cleo] = await chat.users('cleo');
  await cleo.api.subscribe({ subscriptions: [{ name: own.name }] });
  const [address, valid] = [await addressFor(cleo, id), await addressFor(cleo, own.id)];
  await chat.owner.api.updateUser({ user_id: cleo.id, role: 600 });
  expect([await streamOf(address), await streamOf(valid)]).toEqual([undefined, own.id]);
  expect(await streamOf(await addressFor(ada, id))).toBe(id);
});

test('a subscriber who leaves a public stream does not change its address', async () => {
  const { ada, ben, id } = await createStreamFixture(chat);
  const address = await addressFor(ada, id);
  await unsubscribe(ben, id);
  expect(await streamOf(address)).toBe(id);
});

test('users who cannot post to a stream cannot get its address; a stream that they cannot see is reported as unknown', async () => {
  const [cleo] = await chat.users('cleo');
  const gus = await chat.user('gus', { role: 'guest' });
  const { ben, id } = await createStreamFixture(chat, [], shared);
  for (const person of [cleo, gus]) {
    const unknown = await expectError('BAD_REQUEST', person.api.getStreamEmailAddress({ stream_id: 987_654 }));
    const hidden = await expectError('BAD_REQUEST', person.api.getStreamEmailAddress({ stream_id: id }));
    expect(hidden.msg).toBe(unknown.msg.replace('987654', String(id)));
  }
  // An administrator sees that the private stream exists, and cannot post to it.
  await expectError('BAD_REQUEST', chat.owner.api.getStreamEmailAddress({ stream_id: id }), /Not authorized/);
  await ben.api.getStreamEmailAddress({ stream_id: id });
  const open = await createStreamFixture(chat);
  await chat.owner.api.updateStream({ stream_id: open.id, stream_post_policy: 2 });
  await expectError('BAD_REQUEST', open.ben.api.getStreamEmailAddress({ stream_id: open.id }), /Only administrators/);
  await chat.owner.api.getStreamEmailAddress({ stream_id: open.id });
});

test('an email becomes a message of the Notification Bot, once however often it is delivered', async () => {
  const { ada, ben, id, discardEvents } = await createStreamFixture(chat);
  await discardEvents();
  const email = createEmail({ subject: 'Re: Soup', text: `Hello @**all**, @**${ben.full_name}**` });
  expect(await Promise.all([post(id, email), post(id, email), post(id, email)])).toEqual([true, true, true]);
  expect(await post(id, email)).toBe(true);
  const heard = await ben.takeEvents('message');
  expect(heard).toMatchObject([
    { flags: [], message: { sender_full_name: 'Notification Bot', stream_id: id, subject: 'Soup' } },
  ]);
  expect(heard[0]?.message.content).toContain('Email from Ada (ada@example.com)');
  await post(id, createEmail());
  await post(id, createEmail({ message_id: '' }));
  await post(id, createEmail({ message_id: '' }));
  expect(await ada.takeEvents('message')).toHaveLength(4);
});

test('an email to two streams is posted in both, but not to an archived one', async () => {
  const [one, other] = [await createStreamFixture(chat), await createStreamFixture(chat)];
  const email = createEmail();
  expect([await post(one.id, email), await post(other.id, email)]).toEqual([true, true]);
  expect(await other.ada.takeEvents('message')).toHaveLength(1);
  await chat.owner.api.archiveStream({ stream_id: one.id });
  expect(await post(one.id, createEmail())).toBe(false);
});
