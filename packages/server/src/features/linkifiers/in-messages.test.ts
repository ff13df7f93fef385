import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

// The build that the server loads: it requires the library when it is first needed.
const { RE2JS }: typeof import('re2js') = createRequire(import.meta.url)('re2js');

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  ada = await chat.user('ada', { mirrored: false });
  await chat.stream('kitchen', { by: ada });
  await add('#(?P<id>[0-9]+)', 'https://t.example/{id}');
});
afterAll(() => chat.close());

const add = async (pattern: string, url_template: string) =>
  (await chat.owner.api.addLinkifier({ pattern, url_template })).id;
const send = (content: string, topic = 'soup') => chat.message({ from: ada, to: 'kitchen', topic, content });
const fetched = async (message_id: number) => (await ada.api.getMessage({ message_id })).message;
const rendered = async (content: string) => (await fetched(await send(content))).content;
const ticket = (id: number) => `<a href="https://t.example/${id}">#${id}</a>`;

test('a match becomes a link that shows the matched text', async () => {
  expect(await rendered('See #12, (#13) and #14.')).toBe(
    `<p>See ${ticket(12)}, (${ticket(13)}) and ${ticket(14)}.</p>`,
  );
});

test('a match inside a word is no match', async () => {
  expect(await rendered('x#12 #12th a1#2 见#7。')).toBe(`<p>x#12 #12th a1#2 见${ticket(7)}。</p>`);
});

test('matches in code, links, addresses and mentions are not linked', async () => {
  const me = `@**${ada.full_name}** #1`;
  expect(await rendered('`#1` [#2](https://a.example) https://a.example/#3')).toBe(
    '<p><code>#1</code> <a href="https://a.example">#2</a> ' +
      '<a href="https://a.example/#3">https://a.example/#3</a></p>',
  );
  expect(await rendered('```\n#1\n```')).toBe(
    '<div class="codehilite"><pre><span></span><code>#1\n</code></pre></div>',
  );
  expect(await rendered(me)).toContain(`</span> ${ticket(1)}`);
  expect(await rendered(':tada: #4 **#5**')).toContain(`${ticket(4)} <strong>${ticket(5)}</strong>`);
});

// shows: 4.19.3
test('the first linkifier in order wins, also after the order was changed', async () => {
  const ids = [
    await add('PR#(?P<id>[0-9]+)', 'https://pulls.example/{id}'),
    await add('(?P<what>[A-Z]+)#(?P<id>[0-9]+)', 'https://all.example/{what}/{id}'),
  ];
  expect(await rendered('PR#1 FR#2')).toBe(
    '<p><a href="https://pulls.example/1">PR#1</a> <a href="https://all.example/FR/2">FR#2</a></p>',
  );
  const { linkifiers } = await ada.api.getLinkifiers();
  await chat.owner.api.reorderLinkifiers({ ordered_linkifier_ids: linkifiers.map(({ id }) => id).reverse() });
  expect(await rendered('PR#1')).toBe('<p><a href="https://all.example/PR/1">PR#1</a></p>');
  for (const filter_id of ids) await chat.owner.api.deleteLinkifier({ filter_id });
});

// shows: 2.62
test('text of a message cannot leave its part of the URL', async () => {
  const ids = [
    await add('say (?P<what>.+)', 'https://say.example/{what}?q={what}'),
    await add('raw (?P<what>.+)', 'https://raw.example/{+what}'),
  ];
  expect(await rendered('say a/../b?c="d"&<e>')).toContain(
    'href="https://say.example/a%2F..%2Fb%3Fc%3D%22d%22%26%3Ce%3E?q=a%2F..%2Fb%3Fc%3D%22d%22%26%3Ce%3E"',
  );
  expect(await rendered('raw a/b?c="d"')).toContain('href="https://raw.example/a/b?c=%22d%22"');
  for (const filter_id of ids) await chat.owner.api.deleteLinkifier({ filter_id });
});

test('a URL that is not http, https or mailto is no link', async () => {
  const ids = [
    await add('run (?P<it>\\S+)', 'javascript:{+it}'),
    await add('go (?P<it>\\S+)', '{+it}'),
    await add('page (?P<it>\\S+)', '/page/{it}'),
    await add('write (?P<it>\\S+)', 'mailto:{it}@example.com'),
  ];
  expect(await rendered('run alert(1)')).toBe('<p>run alert(1)</p>');
  expect(await rendered('go data:text/html,x')).toBe('<p>go data:text/html,x</p>');
  expect(await rendered('page 1')).toBe('<p>page 1</p>');
  expect(await rendered('go HTTPS://a.example')).not.toContain('javascript');
  expect(await rendered('write ada')).toBe('<p><a href="mailto:ada@example.com">write ada</a></p>');
  for (const filter_id of ids) await chat.owner.api.deleteLinkifier({ filter_id });
});

test('a group without a match is left out of the URL', async () => {
  const id = await add('T(?P<id>[0-9]+)(?:\\.(?P<part>[a-z]+))?', 'https://parts.example/{id}{?part}');
  expect(await rendered('T1 T2.b')).toBe(
    '<p><a href="https://parts.example/1">T1</a> <a href="https://parts.example/2?part=b">T2.b</a></p>',
  );
  await chat.owner.api.deleteLinkifier({ filter_id: id });
});

test('messages with such links are found with has:link', async () => {
  const message_id = await send('#4711');
  const { messages } = await ada.api.getMessages({
    anchor: message_id,
    num_before: 0,
    num_after: 0,
    narrow: [['has', 'link']],
  });
  expect(messages.map(({ id }) => id)).toEqual([message_id]);
});

test('a message keeps its links when linkifiers change, and gets the new ones when it is edited', async () => {
  const id = await add('recipe (?P<id>[0-9]+)', 'https://old.example/{id}');
  const message_id = await send('recipe 1');
  await chat.owner.api.updateLinkifier({
    filter_id: id,
    pattern: 'recipe (?P<id>[0-9]+)',
    url_template: 'https://new.example/{id}',
  });
  expect((await fetched(message_id)).content).toBe('<p><a href="https://old.example/1">recipe 1</a></p>');
  await ada.api.updateMessage({ message_id, content: 'recipe 2' });
  expect((await fetched(message_id)).content).toBe('<p><a href="https://new.example/2">recipe 2</a></p>');
  await chat.owner.api.deleteLinkifier({ filter_id: id });
});

test('linkifiers of another organization do not apply', async () => {
  const { realm } = await chat.otherRealm('elsewhere');
  const fay = await chat.user('fay', { realm, mirrored: false });
  const message_id = await chat.message({ from: fay, to: [fay], content: '#12' });
  expect((await fay.api.getMessage({ message_id })).message.content).toBe('<p>#12</p>');
});

test('notices of the server in a topic have links; its direct messages and the first message of a stream have none', async () => {
  const ben = await chat.user('ben');
  const id = await add('moved here|created by|subscribed you', 'https://server.example');
  await ada.api.subscribe({ subscriptions: [{ name: 'room 77' }], principals: [ada.id, ben.id] });
  await ada.api.subscribe({ subscriptions: [{ name: 'room 78' }] });
  await ada.api.subscribe({ subscriptions: [{ name: 'room 78' }], principals: [ben.id] });
  const message_id = await chat.message({ from: ada, to: 'room 77' });
  await ada.api.updateMessage({ message_id, topic: 'stew' });
  const [first, letter, , notice] = (await ben.takeEvents('message')).map(({ message }) => message.content);
  expect(first).not.toContain('https://server.example');
  expect(letter).toContain('subscribed you to');
  expect(letter).not.toContain('https://server.example');
  expect(notice).toContain('<a href="https://server.example">moved here</a>');
  await chat.owner.api.deleteLinkifier({ filter_id: id });
});

test('linkifiers cost a message one statement, for any number of linkifiers and matches', async () => {
  const cost = (content: string) => chat.statements(() => send(content));
  const before = await cost('nothing');
  expect(await cost('#1 #2 #3')).toBe(before);
  const ids = await Promise.all(['one', 'two', 'three'].map((pattern) => add(pattern, 'https://n.example')));
  expect(await cost('one two three #1 nothing')).toBe(before);
  for (const filter_id of ids) await chat.owner.api.deleteLinkifier({ filter_id });
});

test('a message has at most 200 links by linkifiers, and the work for the longest messages is bounded', async () => {
  const links = (html: string) => html.match(/<a href="https:\/\/t\.example/g)?.length;
  expect(links(await rendered(Array.from({ length: 201 }, (_, n) => `#${n}`).join(' ')))).toBe(200);
  const { realm, owner } = await chat.otherRealm('patterns');
  const bad = ['(?:[^x]*){90}[Z\\\\]|.', '(?:.*[XQ]|.)', '(a*)*b', '(?:.?){70}.{70}[QZ]', '.*.*.*.*=.*'];
  const pattern = (n: number) => `${bad[n % bad.length]}|never${n}`;
  for (let n = 0; n < 40; n += 1) await owner.api.addLinkifier({ pattern: pattern(n), url_template: 'javascript:' });
  const fay = await chat.user('fay', { realm, mirrored: false });
  const searched = vi.spyOn(RE2JS.prototype, 'matcher');
  onTestFinished(() => searched.mockRestore());
  for (const content of ['a '.repeat(4999), 'a'.repeat(9999), 'b a\n'.repeat(2400)]) {
    searched.mockClear();
    await chat.message({ from: fay, to: [fay], content: `${content}.` });
    const characters = searched.mock.calls.reduce((sum, [text]) => sum + String(text).length, 0);
    expect(characters).toBeGreaterThan(0);
    expect(characters, 'characters searched by 40 patterns; the whole text would be 400,000').toBeLessThan(250_000);
  }
});
