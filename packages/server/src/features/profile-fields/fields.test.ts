import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
const options = { e: { text: 'Elsinore', order: '1' }, d: { text: 'Dunsinane', order: '2' } };
async function apart() {
  const { realm, owner } = await chat.otherRealm(`fields${made++}`);
  const ada = await chat.user('ada', { realm });
  const add = async (name: string, more: object = {}) =>
    (await owner.api.createProfileField({ name, field_type: 1, ...more })).id;
  return { realm, owner, ada, add };
}
const listed = async ({ api }: TestUser) => (await api.getProfileFields()).custom_fields;
const names = async (person: TestUser) => (await listed(person)).map(({ name }) => name);

test('a new field comes last and emits an event with all fields to all users', async () => {
  const { realm, ada, add } = await apart();
  const gus = await chat.user('gus', { realm, role: 'guest' });
  const team = await add(' Team ', { hint: ' Which of ours? ' });
  const castle = await add('Castle', { field_type: 3, field_data: options });
  const all = [
    { id: team, name: 'Team', type: 1, hint: 'Which of ours?', field_data: '', order: 1 },
    { id: castle, name: 'Castle', type: 3, hint: '', field_data: JSON.stringify(options), order: 2 },
  ];
  const event = { id: expect.any(Number), type: 'custom_profile_fields' };
  for (const person of [ada, gus]) {
    expect(await person.takeEvents('custom_profile_fields')).toEqual([
      { ...event, fields: all.slice(0, 1) },
      { ...event, fields: all },
    ]);
    expect(await listed(person)).toEqual(all);
    const state = await person.api.registerQueue({ fetch_event_types: ['custom_profile_fields'] });
    expect(state.custom_profile_fields).toEqual(all);
  }
});

test('a field of each of the eight types can be created, and of no other type', async () => {
  const { owner, ada, add } = await apart();
  const data: Record<number, object> = { 3: options, 7: { subtype: 'github' } };
  for (const field_type of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await add(`Field ${field_type}`, { field_type, ...(data[field_type] && { field_data: data[field_type] }) });
  }
  expect((await listed(ada)).map(({ type }) => type)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  for (const field_type of [0, 9]) {
    await expectError('BAD_REQUEST', owner.api.createProfileField({ name: 'x', field_type } as never), /field_type/);
  }
});

test('the error names the invalid parameter of a field, and nothing is added or changed', async () => {
  const { owner, ada, add } = await apart();
  const id = await add('Castle', { field_type: 3, field_data: options });
  await add('Team');
  await ada.takeEvents();
  const cases: [Partial<Parameters<typeof owner.api.createProfileField>[0]>, RegExp][] = [
    [{ name: ' ' }, /^name: .*blank/],
    [{ name: 'x'.repeat(41) }, /^name: .*40/],
    [{ hint: 'x'.repeat(81) }, /^hint: .*80/],
    [{ name: 'Team' }, /^name: .*"Team" already/],
    [{ field_data: {} }, /^field_data: .*at least one option/],
    [{ field_data: { e: { text: 'Elsinore' } } }, /^field_data: .*option "e"/],
  ];
  for (const [change, problem] of cases) {
    const values = { name: 'New', field_type: 3 as const, field_data: options, ...change };
    await expectError('BAD_REQUEST', owner.api.createProfileField(values), problem);
    await expectError('BAD_REQUEST', owner.api.updateProfileField({ field_id: id, ...change }), problem);
  }
  await expectError(
    'BAD_REQUEST',
    owner.api.createProfileField({ name: 'x', field_type: 3, field_data: 'e' } as never),
    /field_data/,
  );
  expect(await names(ada)).toEqual(['Castle', 'Team']);
  expect(await ada.takeEvents()).toEqual([]);
});

test('the given properties of a field change, the others stay; a request that changes nothing emits no event', async () => {
  const { owner, ada, add } = await apart();
  const field_id = await add('Castle', { field_type: 3, field_data: options, hint: 'Where?' });
  await ada.takeEvents();
  await owner.api.updateProfileField({ field_id, name: 'Home' });
  await owner.api.updateProfileField({ field_id, hint: '' });
  const more = { ...options, i: { text: 'Inverness', order: '3' } };
  await owner.api.updateProfileField({ field_id, field_data: more });
  const field = { id: field_id, name: 'Home', type: 3, hint: '', field_data: JSON.stringify(more), order: 1 };
  expect(await listed(ada)).toEqual([field]);
  expect((await ada.takeEvents('custom_profile_fields')).map(({ fields }) => fields[0])).toEqual([
    { ...field, hint: 'Where?', field_data: JSON.stringify(options) },
    { ...field, field_data: JSON.stringify(options) },
    field,
  ]);
  await owner.api.updateProfileField({ field_id });
  await owner.api.updateProfileField({ field_id, name: 'Home', hint: '', field_data: more });
  await owner.api.reorderProfileFields({ order: [field_id] });
  expect(await ada.takeEvents()).toEqual([]);
});

test('the order of fields needs all of them, each once', async () => {
  const { owner, ada, add } = await apart();
  const [a, b, c] = [await add('a'), await add('b'), await add('c')];
  await owner.api.reorderProfileFields({ order: [c, a, b] });
  expect((await listed(ada)).map(({ id, order }) => [id, order])).toEqual([
    [c, 1],
    [a, 2],
    [b, 3],
  ]);
  for (const order of [[a, b], [a, b, b], [a, b, c, c], [a, b, c, 999_999], []]) {
    await expectError('BAD_REQUEST', owner.api.reorderProfileFields({ order }), /^order: /);
  }
  expect(await names(ada)).toEqual(['c', 'a', 'b']);
  await add('d');
  expect(await names(ada)).toEqual(['c', 'a', 'b', 'd']);
});

test('a removed field is not listed, and its name can be used again', async () => {
  const { owner, ada, add } = await apart();
  const field_id = await add('Team');
  await owner.api.deleteProfileField({ field_id });
  expect(await listed(ada)).toEqual([]);
  expect((await ada.takeEvents('custom_profile_fields')).at(-1)?.fields).toEqual([]);
  await expectError('BAD_REQUEST', owner.api.deleteProfileField({ field_id }), new RegExp(`${field_id}`));
  await expectError('BAD_REQUEST', owner.api.updateProfileField({ field_id, name: 'x' }), new RegExp(`${field_id}`));
  await add('Team');
});

test('only administrators can change fields, and this is checked first', async () => {
  const { owner, realm, ada, add } = await apart();
  const field_id = await add('Team');
  for (const { api } of [
    ada,
    await chat.user('mo', { realm, role: 'moderator' }),
    await chat.user('bot', { realm, bot_of: ada }),
  ]) {
    await expectError('UNAUTHORIZED_PRINCIPAL', api.createProfileField({} as never), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', api.updateProfileField({ field_id }), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', api.deleteProfileField({ field_id }), /administrator/);
    await expectError('UNAUTHORIZED_PRINCIPAL', api.reorderProfileFields({} as never), /administrator/);
    expect((await api.getProfileFields()).custom_fields).toHaveLength(1);
  }
  await expectError('REQUEST_VARIABLE_MISSING', owner.api.createProfileField({ name: 'x' } as never), /field_type/);
});

test('another organization has its own fields, and cannot address these', async () => {
  const [here, there] = [await apart(), await apart()];
  const field_id = await here.add('Team');
  const unknown = new RegExp(`no custom profile field ${field_id}`);
  await expectError('BAD_REQUEST', there.owner.api.deleteProfileField({ field_id }), unknown);
  await expectError('BAD_REQUEST', there.owner.api.updateProfileField({ field_id, name: 'x' }), unknown);
  await there.add('Team');
  expect(await listed(here.ada)).toMatchObject([{ id: field_id, name: 'Team' }]);
});

test('an organization can have 100 fields', async () => {
  const { realm, owner, add } = await apart();
  await chat.database.db.execute(
    `insert into profile_fields (realm_id, name, field_type, hint, field_data, position)
     select ${realm.id}, 'field ' || n, 1, '', '', n from generate_series(1, 99) n`,
  );
  await add('the hundredth');
  await expectError('BAD_REQUEST', owner.api.createProfileField({ name: 'one more', field_type: 1 }), /at most 100/);
});

test('of two concurrent requests with one name, one adds the field and the other fails', async () => {
  const { ada, add } = await apart();
  const outcomes = await Promise.allSettled([add('Team'), add('Team'), add('Team')]);
  const errorResponses = outcomes.filter(({ status }) => status === 'rejected');
  expect(errorResponses).toHaveLength(2);
  for (const errorResponse of errorResponses)
    expect(errorResponse).toMatchObject({ reason: { status: 400, code: 'BAD_REQUEST' } });
  expect(await names(ada)).toEqual(['Team']);
});

test('after concurrent changes each event has one more field, and the last has all', async () => {
  const { ada, add } = await apart();
  await ada.takeEvents();
  await Promise.all(Array.from({ length: 6 }, (_, n) => add(`field ${n}`)));
  const heard = await ada.takeEvents('custom_profile_fields');
  expect(heard.map(({ fields }) => fields.length)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(heard.at(-1)?.fields).toEqual(await listed(ada));
});
