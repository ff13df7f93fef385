import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
/** A pattern that no other test has. */
const word = () => `word${made++}`;
const url = 'https://t.example';
const listed = async ({ api }: TestUser) => (await api.getLinkifiers()).linkifiers;
const add = (pattern = word(), url_template = url) => chat.owner.api.addLinkifier({ pattern, url_template });
/** An organization for tests that are about all linkifiers. */
async function apart() {
  const { realm, owner } = await chat.otherRealm(`apart${made++}`);
  const ada = await chat.user('ada', { realm });
  const addHere = async (pattern: string) => (await owner.api.addLinkifier({ pattern, url_template: url })).id;
  return { ada, owner, addHere };
}

// shows: 4.18.1
test.each(['pattern', 'url_template'])('a linkifier needs its %s', async (left) => {
  const { [left]: _, ...rest }: Record<string, string> = { pattern: word(), url_template: url };
  const adding = chat.owner.api.addLinkifier(rest as never);
  expect(await expectError('REQUEST_VARIABLE_MISSING', adding)).toMatchObject({ var_name: left });
});

// shows: 2.61, 4.18.2, 4.19.2
test('a new linkifier comes last, and all users receive all linkifiers in order', async () => {
  const { ada, owner } = await apart();
  const first = await owner.api.addLinkifier({ pattern: '#(?P<id>[0-9]+)', url_template: `${url}/{id}` });
  const second = await owner.api.addLinkifier({ pattern: 'soup', url_template: `${url}/soup` });
  const all = [
    { id: first.id, pattern: '#(?P<id>[0-9]+)', url_template: `${url}/{id}` },
    { id: second.id, pattern: 'soup', url_template: `${url}/soup` },
  ];
  expect(await listed(ada)).toEqual(all);
  const event = { id: expect.any(Number), type: 'realm_linkifiers' };
  expect(await ada.takeEvents('realm_linkifiers')).toEqual([
    { ...event, realm_linkifiers: all.slice(0, 1) },
    { ...event, realm_linkifiers: all },
  ]);
  const { realm_linkifiers } = await ada.api.registerQueue({ fetch_event_types: ['realm_linkifiers'] });
  expect(realm_linkifiers).toEqual(all);
});

// shows: 4.19.1
test('guests and bots list linkifiers and receive their events, too', async () => {
  const [ada] = await chat.users('ada');
  const users = [await chat.user('gus', { role: 'guest' }), await chat.user('bo', { bot_of: ada })];
  const { id } = await add();
  for (const person of users) {
    expect((await listed(person)).at(-1)).toMatchObject({ id });
    expect(await person.takeEvents('realm_linkifiers')).toHaveLength(1);
  }
});

test('values are trimmed', async () => {
  const pattern = word();
  const { id } = await add(`  ${pattern}\n`, `\t${url}/a `);
  expect((await listed(chat.owner)).at(-1)).toEqual({ id, pattern, url_template: `${url}/a` });
  await expectError('BAD_REQUEST', add(` ${pattern}`), /already/);
});

test('a change keeps the position in the order, and can keep the pattern', async () => {
  const { ada, owner, addHere } = await apart();
  const [first, second] = [await addHere('one'), await addHere('two')];
  await owner.api.updateLinkifier({ filter_id: first, pattern: 'one', url_template: `${url}/1` });
  await owner.api.updateLinkifier({ filter_id: first, pattern: ' uno ', url_template: ` ${url}/uno ` });
  const all = [
    { id: first, pattern: 'uno', url_template: `${url}/uno` },
    { id: second, pattern: 'two', url_template: url },
  ];
  expect(await listed(ada)).toEqual(all);
  expect((await ada.takeEvents('realm_linkifiers')).at(-1)?.realm_linkifiers).toEqual(all);
});

test('a removed linkifier is not listed, and its pattern can be used again', async () => {
  const { ada, owner, addHere } = await apart();
  const [first, second] = [await addHere('one'), await addHere('two')];
  await owner.api.deleteLinkifier({ filter_id: first });
  expect((await listed(ada)).map(({ id }) => id)).toEqual([second]);
  expect((await ada.takeEvents('realm_linkifiers')).at(-1)?.realm_linkifiers).toMatchObject([{ id: second }]);
  await expectError('BAD_REQUEST', owner.api.deleteLinkifier({ filter_id: first }), new RegExp(`${first}`));
  await addHere('one');
});

// shows: 4.19.2
test('the order follows the ids of the request, and new linkifiers come last', async () => {
  const { ada, owner, addHere } = await apart();
  await owner.api.reorderLinkifiers({ ordered_linkifier_ids: [] });
  const ids = [await addHere('one'), await addHere('two'), await addHere('three')];
  const order = [...ids].reverse();
  await ada.takeEvents();
  await owner.api.reorderLinkifiers({ ordered_linkifier_ids: order });
  expect((await listed(ada)).map(({ id }) => id)).toEqual(order);
  const [event, ...others] = await ada.takeEvents('realm_linkifiers');
  expect([event?.realm_linkifiers, others]).toEqual([await listed(ada), []]);
  const last = await addHere('four');
  expect((await listed(ada)).map(({ id }) => id)).toEqual([...order, last]);
});

test('an order with a missing, repeated or unknown id changes nothing and emits no event', async () => {
  const { ada, owner, addHere } = await apart();
  const [one, two] = [await addHere('one'), await addHere('two')];
  const elsewhere = await add();
  await ada.takeEvents();
  for (const ids of [[], [one], [one, one], [two, one, one], [one, two, 987_654], [one, elsewhere.id]]) {
    await expectError(
      'BAD_REQUEST',
      owner.api.reorderLinkifiers({ ordered_linkifier_ids: ids }),
      /^ordered_linkifier_ids/,
    );
  }
  expect((await listed(ada)).map(({ id }) => id)).toEqual([one, two]);
  expect(await ada.takeEvents()).toEqual([]);
});

test('the error lists all invalid fields, and nothing is added', async () => {
  const [ada] = await chat.users('ada');
  const before = await listed(ada);
  const cases = [
    [' ', ' ', { pattern: [expect.stringMatching(/blank/)], url_template: [expect.stringMatching(/blank/)] }],
    ['a(?!b)', `${url}/{`, { pattern: [expect.stringMatching(/RE2/)], url_template: [expect.stringMatching(/6570/)] }],
    ['(?P<id>x)', url, { __all__: [expect.stringMatching(/"id"/)] }],
    ['x', `${url}/{id}`, { __all__: [expect.stringMatching(/"id"/)] }],
  ] as const;
  for (const [pattern, url_template, errors] of cases) {
    const errorResponse = await expectError('BAD_REQUEST', add(pattern, url_template));
    expect(errorResponse).toMatchObject({ errors });
    const reason = 'invalid';
    expect(errorResponse).toEqual({ result: 'error', code: 'BAD_REQUEST', reason, msg: expect.any(String), errors });
  }
  expect(await listed(ada)).toEqual(before);
  expect(await ada.takeEvents('realm_linkifiers')).toEqual([]);
});

test('a change is validated by the same rules, after the linkifier was found', async () => {
  const { ada, owner, addHere } = await apart();
  const [one] = [await addHere('one'), await addHere('two')];
  await ada.takeEvents();
  const change = (filter_id: number, pattern: string, url_template = url) =>
    owner.api.updateLinkifier({ filter_id, pattern, url_template });
  expect(await expectError('BAD_REQUEST', change(987_654, '('), /987654/)).not.toHaveProperty('errors');
  expect(await expectError('BAD_REQUEST', change(one, '('))).toMatchObject({
    errors: { pattern: [expect.any(String)] },
  });
  expect(await expectError('BAD_REQUEST', change(one, 'two'), /already/)).toMatchObject({
    errors: { pattern: [expect.stringMatching(/already/)] },
  });
  expect(await expectError('BAD_REQUEST', change(one, 'x', `${url}/{id}`))).toMatchObject({
    errors: { __all__: [expect.stringMatching(/"id"/)] },
  });
  expect((await listed(ada)).map(({ pattern }) => pattern)).toEqual(['one', 'two']);
  expect(await ada.takeEvents()).toEqual([]);
});

test('only administrators can change linkifiers, and this is checked first', async () => {
  const [ada] = await chat.users('ada');
  const users = [ada, await chat.user('mo', { role: 'moderator' }), await chat.user('gus', { role: 'guest' })];
  const nothing = {} as never;
  for (const { api } of users) {
    await expectError('UNAUTHORIZED_PRINCIPAL', api.addLinkifier(nothing), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', api.updateLinkifier({ filter_id: 1 } as never), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', api.deleteLinkifier({ filter_id: 1 }), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', api.reorderLinkifiers(nothing), /administrator/);
  }
  const iago = await chat.user('iago', { role: 'admin' });
  const { id } = await iago.api.addLinkifier({ pattern: word(), url_template: url });
  await expectError('REQUEST_VARIABLE_MISSING', iago.api.updateLinkifier({ filter_id: id, pattern: 'x' } as never));
  await iago.api.deleteLinkifier({ filter_id: id });
});

test('another organization has its own linkifiers, and cannot address these', async () => {
  const pattern = word();
  const { id } = await add(pattern);
  const { ada, owner } = await apart();
  expect(await listed(ada)).toEqual([]);
  const values = { pattern: word(), url_template: url };
  await expectError(
    'BAD_REQUEST',
    owner.api.updateLinkifier({ filter_id: id, ...values }),
    new RegExp(`no linkifier ${id}`),
  );
  await expectError('BAD_REQUEST', owner.api.deleteLinkifier({ filter_id: id }), new RegExp(`no linkifier ${id}`));
  await owner.api.addLinkifier({ pattern, url_template: url });
  expect((await listed(chat.owner)).find((one) => one.id === id)?.pattern).toBe(pattern);
});

test('of two concurrent requests with one pattern, one adds it and the other fails', async () => {
  const iago = await chat.user('iago', { role: 'admin' });
  const pattern = word();
  const outcomes = await Promise.allSettled(
    [chat.owner, iago, chat.owner].map(({ api }) => api.addLinkifier({ pattern, url_template: url })),
  );
  const errorResponses = outcomes.filter(({ status }) => status === 'rejected');
  expect(errorResponses).toHaveLength(2);
  for (const errorResponse of errorResponses)
    expect(errorResponse).toMatchObject({
      reason: { status: 400, body: { errors: { pattern: [expect.any(String)] } } },
    });
});

test('after concurrent changes each event has one more linkifier, and the last has all', async () => {
  const { ada, owner, addHere } = await apart();
  const first = await addHere('first');
  await ada.takeEvents();
  await Promise.all([
    ...Array.from({ length: 6 }, (_, n) => addHere(`many${n}`)),
    owner.api.updateLinkifier({ filter_id: first, pattern: 'still', url_template: url }),
  ]);
  const heard = await ada.takeEvents('realm_linkifiers');
  expect(heard).toHaveLength(7);
  expect(heard.at(-1)?.realm_linkifiers).toEqual(await listed(ada));
  const counts = heard.map((event) => event.realm_linkifiers.length);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
});

test('an organization can have 200 linkifiers', async () => {
  const { owner, addHere } = await apart();
  for (let n = 0; n < 200; n += 20) await Promise.all(Array.from({ length: 20 }, (_, m) => addHere(`p${n + m}`)));
  expect(await expectError('BAD_REQUEST', addHere('one more'), /200/)).toMatchObject({
    errors: { __all__: [expect.stringMatching(/200/)] },
  });
  const [first] = await listed(owner);
  await owner.api.updateLinkifier({ filter_id: first?.id ?? 0, pattern: 'other', url_template: url });
  await owner.api.deleteLinkifier({ filter_id: first?.id ?? 0 });
  await addHere('one more');
});
