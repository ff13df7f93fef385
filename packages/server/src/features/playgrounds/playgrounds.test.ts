import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
const url_template = 'https://e.example/{code}';
const listed = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['realm_playgrounds'] })).realm_playgrounds;
async function apart() {
  const { realm, owner } = await chat.otherRealm(`apart${made++}`);
  const ada = await chat.user('ada', { realm });
  const add = async (name: string, pygments_language = 'Python') =>
    (await owner.api.addPlayground({ name, pygments_language, url_template })).id;
  return { realm, owner, ada, add };
}

// shows: 4.17.1
test.each(['name', 'pygments_language', 'url_template'])('a playground needs its %s', async (left) => {
  const { [left]: _, ...rest }: Record<string, string> = { name: 'Needy', pygments_language: 'Python', url_template };
  const adding = chat.owner.api.addPlayground(rest as never);
  expect(await expectError('REQUEST_VARIABLE_MISSING', adding)).toMatchObject({ var_name: left });
});

// shows: 2.63, 4.17.2
test('a new playground emits an event with all playgrounds to all users', async () => {
  const { realm, ada, add } = await apart();
  const gus = await chat.user('gus', { realm, role: 'guest' });
  const first = await add(' Elsinore ', ' Python ');
  const second = await add('Elsinore', 'An unknown language');
  const all = [
    { id: first, name: 'Elsinore', pygments_language: 'Python', url_template },
    { id: second, name: 'Elsinore', pygments_language: 'An unknown language', url_template },
  ];
  const event = { id: expect.any(Number), type: 'realm_playgrounds' };
  for (const person of [ada, gus]) {
    expect(await person.takeEvents('realm_playgrounds')).toEqual([
      { ...event, realm_playgrounds: all.slice(0, 1) },
      { ...event, realm_playgrounds: all },
    ]);
    expect(await listed(person)).toEqual(all);
  }
});

test('a removed playground is not listed, and its name can be used again', async () => {
  const { owner, ada, add } = await apart();
  const [first, second] = [await add('Elsinore'), await add('Dunsinane')];
  await owner.api.deletePlayground({ playground_id: first });
  expect(await listed(ada)).toMatchObject([{ id: second }]);
  expect((await ada.takeEvents('realm_playgrounds')).at(-1)?.realm_playgrounds).toEqual(await listed(ada));
  await expectError('BAD_REQUEST', owner.api.deletePlayground({ playground_id: first }), new RegExp(`${first}`));
  await add('Elsinore');
});

test('the error lists all invalid fields, and nothing is added', async () => {
  const { owner, ada, add } = await apart();
  await add('Elsinore');
  await ada.takeEvents();
  const cases = [
    [{ name: ' ' }, { name: [expect.stringMatching(/blank/)] }],
    [
      { pygments_language: 'C!', url_template: '{' },
      { pygments_language: [expect.stringMatching(/letters/)], url_template: [expect.stringMatching(/6570/)] },
    ],
    [{ pygments_language: 'x'.repeat(41) }, { pygments_language: [expect.stringMatching(/40/)] }],
    [{ url_template: 'https://e.example' }, { url_template: [expect.stringMatching(/"code"/)] }],
    [{ url_template: 'https://e.example/{text}{code}' }, { url_template: [expect.stringMatching(/"text"/)] }],
    [{ name: 'Elsinore' }, { __all__: [expect.stringMatching(/already/)] }],
  ] as const;
  for (const [change, errors] of cases) {
    const values = { name: 'Dunsinane', pygments_language: 'Python', url_template, ...change };
    const errorResponse = await expectError('BAD_REQUEST', owner.api.addPlayground(values));
    const reason = '__all__' in errors ? 'conflict' : 'invalid';
    expect(errorResponse).toEqual({ result: 'error', code: 'BAD_REQUEST', reason, msg: expect.any(String), errors });
  }
  expect(await listed(ada)).toHaveLength(1);
  expect(await ada.takeEvents()).toEqual([]);
});

test('only administrators can change playgrounds, and this is checked first', async () => {
  const users = [
    await chat.user('ada'),
    await chat.user('mo', { role: 'moderator' }),
    await chat.user('gus', { role: 'guest' }),
  ];
  for (const { api } of users) {
    await expectError('UNAUTHORIZED_PRINCIPAL', api.addPlayground({} as never), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', api.deletePlayground({ playground_id: 1 }), /administrator/);
  }
  const iago = await chat.user('iago', { role: 'admin' });
  await expectError('REQUEST_VARIABLE_MISSING', iago.api.addPlayground({ name: 'x' } as never));
  const { id } = await iago.api.addPlayground({ name: 'Elsinore', pygments_language: 'C', url_template });
  await iago.api.deletePlayground({ playground_id: id });
});

test('another organization has its own playgrounds, and cannot address these', async () => {
  const [here, there] = [await apart(), await apart()];
  const id = await here.add('Elsinore');
  await expectError(
    'BAD_REQUEST',
    there.owner.api.deletePlayground({ playground_id: id }),
    new RegExp(`no playground ${id}`),
  );
  await there.add('Elsinore');
  expect(await listed(here.ada)).toMatchObject([{ id }]);
  expect(await there.ada.takeEvents('realm_playgrounds')).toHaveLength(1);
});

test('of two concurrent requests for one playground, one adds it and the other fails', async () => {
  const { add } = await apart();
  const outcomes = await Promise.allSettled([add('Elsinore'), add('Elsinore'), add('Elsinore')]);
  const errorResponses = outcomes.filter(({ status }) => status === 'rejected');
  expect(errorResponses).toHaveLength(2);
  for (const errorResponse of errorResponses)
    expect(errorResponse).toMatchObject({ reason: { status: 400, code: 'BAD_REQUEST' } });
});

test('after concurrent changes each event has one more playground, and the last has all', async () => {
  const { ada, add } = await apart();
  await ada.takeEvents();
  await Promise.all(Array.from({ length: 6 }, (_, n) => add(`place ${n}`)));
  const heard = await ada.takeEvents('realm_playgrounds');
  expect(heard.map((event) => event.realm_playgrounds.length)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(heard.at(-1)?.realm_playgrounds).toEqual(await listed(ada));
});
