import type { Narrow } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const find = async (person: TestUser, ...narrow: Narrow) => {
  const { messages } = await person.api.getMessages({ anchor: 'newest', num_before: 100, num_after: 0, narrow });
  return messages.map(({ id }) => id);
};
let made = 0;

/** Ada and Ben in a stream, Cleo outside; their messages, by a word. */
async function createFixture() {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const [name, other] = [`kitchen ${made++}`, `cellar ${made++}`];
  const id = await chat.stream(name, { by: ada, members: [ben] });
  await chat.stream(other, { by: ada, members: [ben] });
  await ben.api.markAllAsRead();
  const soup = await chat.message({ from: ada, to: name, topic: 'Soup', content: 'pea' });
  const bread = await chat.message({ from: ben, to: name, topic: 'bread', content: 'rye' });
  const wine = await chat.message({ from: ada, to: other, topic: 'soup', content: 'for the soup' });
  const note = await chat.message({ from: ada, to: [ben], content: 'psst' });
  const three = await chat.message({ from: ben, to: [ada, cleo], content: 'all three' });
  const created = new Set([soup, bread, wine, note, three]);
  const among = async (person: TestUser, ...narrow: Narrow) =>
    (await find(person, ...narrow)).filter((one) => created.has(one));
  return { ada, ben, cleo, name, other, id, soup, bread, wine, note, three, among };
}

test('stream, by name in any case or by id; topic, in any case; negation', async () => {
  const { ben, name, id, soup, bread, wine, note, three, among } = await createFixture();
  expect(await among(ben, ['stream', name.toUpperCase()])).toEqual([soup, bread]);
  expect(await among(ben, ['stream', id], ['topic', 'soup'])).toEqual([soup]);
  expect(await among(ben, ['topic', 'SOUP'])).toEqual([soup, wine]);
  expect(await among(ben, { operator: 'topic', operand: 'soup', negated: true })).toEqual([bread, note, three]);
  expect(await among(ben, { operator: 'stream', operand: id, negated: true })).toEqual([wine, note, three]);
  expect(await among(ben, ['stream', id], { operator: 'topic', operand: 'soup', negated: true })).toEqual([bread]);
});

test('sender, by id or address; id; near', async () => {
  const { ada, ben, soup, bread, wine, note, three, among } = await createFixture();
  expect(await among(ben, ['sender', ada.id])).toEqual([soup, wine, note]);
  expect(await among(ben, ['sender', ben.email.toUpperCase()])).toEqual([bread, three]);
  expect(await among(ben, ['id', bread])).toEqual([bread]);
  expect(await among(ben, ['near', bread])).toEqual([soup, bread, wine, note, three]);
  expect(await among(ben, { operator: 'near', operand: bread, negated: true })).toHaveLength(5);
});

test('dm is exactly a group, by ids or addresses, also as pm-with; dm-including is every conversation with a user', async () => {
  const { ada, ben, cleo, note, three, among } = await createFixture();
  expect(await among(ben, ['dm', [ada.id]])).toEqual([note]);
  expect(await among(ben, ['dm', [ada.id, ben.id]])).toEqual([note]);
  expect(await among(ben, ['pm-with', `${ada.email},${cleo.email}`])).toEqual([three]);
  expect(await among(ben, ['dm', [cleo.id]])).toEqual([]);
  expect(await among(ben, ['dm-including', ada.id])).toEqual([note, three]);
  expect(await among(ben, ['dm-including', cleo.email])).toEqual([three]);
  expect(await among(cleo, ['dm-including', ada.id])).toEqual([three]);
});

test('is: dm, private, starred, unread, mentioned', async () => {
  const { ada, ben, name, soup, bread, wine, note, three, among } = await createFixture();
  expect(await among(ben, ['is', 'dm'])).toEqual([note, three]);
  expect(await among(ben, ['is', 'private'])).toEqual([note, three]);
  await ben.api.updateMessageFlags({ messages: [bread], op: 'add', flag: 'starred' });
  expect(await among(ben, ['is', 'starred'])).toEqual([bread]);
  await ben.api.updateMessageFlags({ messages: [soup, bread, three], op: 'add', flag: 'read' });
  expect(await among(ben, ['is', 'unread'])).toEqual([wine, note]);
  expect(await among(ben, { operator: 'is', operand: 'unread', negated: true })).toEqual([soup, bread, three]);
  const named = await chat.message({ from: ada, to: name, content: `@**${ben.full_name}**` });
  const all = await chat.message({ from: ada, to: name, content: '@**all**' });
  const topic = await chat.message({ from: ada, to: name, topic: 'bread', content: '@**topic**' });
  expect(await find(ben, ['is', 'mentioned'])).toEqual([named, all, topic]);
  expect(await find(ada, ['is', 'mentioned'])).toEqual([all, topic]);
  expect(await among(ben, ['is', 'alerted'])).toEqual([]);
});

test('is:resolved, and has: link, image, attachment', async () => {
  const { ada, ben, name, soup, among } = await createFixture();
  const send = (content: string, topic = 'x') => chat.message({ from: ada, to: name, topic, content });
  const resolved = await send('done', '✔ Soup');
  const link = await send('https://example.com/');
  const image = await send('https://example.com/soup.png');
  const file = await send('[menu](/user_uploads/1/menu.pdf)');
  expect(await find(ben, ['is', 'resolved'])).toEqual([resolved]);
  expect(await find(ben, ['has', 'link'])).toEqual([link, image, file]);
  expect(await find(ben, ['has', 'image'])).toEqual([image]);
  expect(await find(ben, ['has', 'attachment'])).toEqual([file]);
  expect(await among(ben, { operator: 'has', operand: 'link', negated: true })).toContain(soup);
});

test('in:home excludes muted streams and topics, but not topics that are unmuted or followed', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [loud, muted] = [`loud ${made++}`, `muted ${made++}`];
  const loudId = await chat.stream(loud, { by: ada, members: [ben] });
  const mutedId = await chat.stream(muted, { by: ada, members: [ben] });
  const send = (to: string, topic: string) => chat.message({ from: ada, to, topic });
  const sent = {
    plain: await send(loud, 'plain'),
    noise: await send(loud, 'noise'),
    off: await send(muted, 'off'),
    on: await send(muted, 'on'),
  };
  const among = async (...narrow: Narrow) =>
    (await find(ben, ...narrow)).filter((id) => Object.values(sent).includes(id));
  expect(await among(['in', 'home'])).toEqual(Object.values(sent));
  const muting = (value: boolean) =>
    ben.api.updateSubscriptionProperty({ stream_id: mutedId, property: 'is_muted', value });
  await muting(true);
  expect(await among(['in', 'home'])).toEqual([sent.plain, sent.noise]);
  await ben.api.updateUserTopic({ stream_id: mutedId, topic: 'on', visibility_policy: 3 });
  await ben.api.updateUserTopic({ stream_id: loudId, topic: 'noise', visibility_policy: 1 });
  expect(await among(['in', 'home'])).toEqual([sent.plain, sent.on]);
  expect(await among(['in', 'all'])).toEqual(Object.values(sent));
  await muting(false);
  expect(await among(['in', 'home'])).toEqual([sent.plain, sent.off, sent.on]);
});

test('messages that a user did not receive are found only with a stream or with all public streams', async () => {
  const { ada, cleo, name, id, soup, bread, wine, three, among } = await createFixture();
  expect(await among(cleo)).toEqual([three]);
  expect(await among(cleo, ['topic', 'soup'])).toEqual([]);
  expect(await among(cleo, ['sender', ada.id])).toEqual([]);
  expect(await among(cleo, ['stream', name])).toEqual([soup, bread]);
  expect(await among(cleo, ['streams', 'public'])).toEqual([soup, bread, wine]);
  expect(await among(cleo, ['streams', 'web-public'])).toEqual([]);
  expect(await among(cleo, { operator: 'stream', operand: id, negated: true })).toEqual([three]);
  const { messages } = await cleo.api.getMessages({
    anchor: soup,
    num_before: 0,
    num_after: 0,
    narrow: [['stream', id]],
  });
  expect(messages[0]?.flags).toEqual(['read', 'historical']);
  await cleo.api.updateMessageFlags({ messages: [soup], op: 'add', flag: 'starred' });
  expect(await among(cleo)).toEqual([soup, three]);
});

test('desc explains a term that is invalid, or that names an unknown object', async () => {
  const { ben } = await createFixture();
  const secret = `secret ${made++}`;
  await chat.stream(secret, { by: (await chat.users('dan'))[0], invite_only: true });
  const bad: [string, string | number | number[], RegExp][] = [
    ['flavour', 'soup', /flavour/],
    ['is', 'tasty', /tasty/],
    ['stream', 'nowhere at all', /nowhere/],
    ['stream', secret, /secret/],
    ['stream', 987_654, /987654/],
    ['sender', 'nobody@example.com', /nobody/],
    ['dm', [987_654], /987654/],
    ['dm-including', 987_654, /987654/],
  ];
  for (const [operator, operand, desc] of bad) {
    const error = await expectError('BAD_NARROW', find(ben, [operator as 'stream', operand]));
    expect(error.desc).toMatch(desc);
  }
  await expectError('BAD_REQUEST', find(ben, ['topic'] as never), /narrow/);
  await expectError('BAD_REQUEST', find(ben, { operator: 'topic', operand: 'x', nonsense: 1 } as never), /narrow/);
});
