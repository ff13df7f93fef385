import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

let made = 0;
async function room(by: TestUser, members: TestUser[] = []): Promise<string> {
  const name = `room ${made++}`;
  await chat.stream(name, { by, members });
  await Promise.all([by, ...members].map((person) => person.takeEvents()));
  return name;
}
const flagsOf = async (person: TestUser) => (await person.takeEvents('message')).at(-1)?.flags;
const send = (from: TestUser, to: string, content: string) =>
  from.api.sendMessage({ type: 'stream', to, topic: 'soup', content });

// Creates groups directly in the database, so users whose events are compared must not exist yet.
const cooks = (...names: string[]) => Promise.all(names.map((name) => chat.user(name, { mirrored: false })));

/** A group that the members of `allowed` can mention. */
async function group(members: TestUser[], allowed = 'role:everyone'): Promise<string> {
  const name = `cooks ${made++}`;
  const { id: realm_id } = chat.realm;
  await chat.database.db.execute(`
    with made as (
      insert into user_groups (realm_id, name, description, is_system_group, can_mention_group)
      select realm_id, '${name}', '', false, id from user_groups where realm_id = ${realm_id} and name = '${allowed}' returning id
    )
    insert into user_group_members (realm_id, group_id, user_id) select ${realm_id}, made.id, x from made, unnest('{${members.map(({ id }) => id)}}'::bigint[]) x`);
  return name;
}

// shows: 2.28
test('a mention by name or id sets the flag; a silent one does not', async () => {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const to = await room(ada, [ben, cleo, dan]);
  const { id } = await send(ada, to, `@**${ben.full_name}** @**${cleo.full_name}|${cleo.id}** @_**${dan.full_name}**`);
  expect(await Promise.all([ben, cleo, dan].map(flagsOf))).toEqual([['mentioned'], ['mentioned'], []]);
  const { message } = await ben.api.getMessage({ message_id: id });
  expect(message.flags).toEqual(['mentioned']);
  expect(message.content).toContain(`<span class="user-mention" data-user-id="${ben.id}">@${ben.full_name}</span>`);
  expect(message.content).toContain(
    `<span class="user-mention silent" data-user-id="${dan.id}">${dan.full_name}</span>`,
  );
});

test('mentions in code set no flag, and users without a subscription receive nothing', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const to = await room(ada, [ben]);
  const { id } = await send(ada, to, `\`@**${ben.full_name}**\` @**${cleo.full_name}**`);
  expect(await flagsOf(ben)).toEqual([]);
  expect(await cleo.takeEvents('message')).toEqual([]);
  expect((await cleo.api.getMessage({ message_id: id })).message.flags).toEqual(['read', 'historical']);
});

test('a mention in a direct message counts for participants only', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  await chat.message({
    from: ada,
    to: [ben],
    content: `@**${ben.full_name}** @**${cleo.full_name}** @**all** @**topic**`,
  });
  expect(await flagsOf(ben)).toEqual(['mentioned']);
  expect(await flagsOf(ada)).toEqual([]);
  expect(await cleo.takeEvents('message')).toEqual([]);
});

// shows: 2.28
test('a group mention sets the flag for its members in the stream', async () => {
  const users = await cooks('ada', 'ben', 'cleo', 'dan');
  const [ada, ben, cleo, dan] = users as [TestUser, TestUser, TestUser, TestUser];
  const to = await room(ada, [ben, cleo]);
  const name = await group([ben, dan]);
  const queue = await ben.api.registerQueue({ event_types: ['message'] });
  const { id } = await send(ada, to, `@*${name}*`);
  const seen = await Promise.all(users.map(async ({ api }) => (await api.getMessage({ message_id: id })).message));
  expect(seen.map(({ flags }) => flags)).toEqual([[], ['mentioned'], [], ['read', 'historical']]);
  expect(seen[0]?.content).toMatch(/<span class="user-group-mention" data-user-group-id="\d+">@cooks/);
  expect((await ben.api.getEvents({ ...queue, dont_block: true })).events).toMatchObject([{ flags: ['mentioned'] }]);
});

test('mentioning a group needs membership of its can_mention_group, directly or through a subgroup', async () => {
  const [ada, ben] = (await cooks('ada', 'ben')) as [TestUser, TestUser];
  const admin = await chat.user('iago', { role: 'admin', mirrored: false });
  const owner = await chat.user('olga', { role: 'owner', mirrored: false });
  const to = await room(ada, [ben, admin, owner]);
  const name = await group([ben], 'role:administrators');
  await expectError('BAD_REQUEST', send(ada, to, `@*${name}*`), new RegExp(`${name}.*role:administrators`));
  await expectError(
    'BAD_REQUEST',
    ada.api.sendMessage({ type: 'direct', to: [ben.id], content: `@*${name}*` }),
    new RegExp(name),
  );
  const flags = async ({ id }: { id: number }) => (await ben.api.getMessage({ message_id: id })).message.flags;
  expect(await flags(await send(ada, to, `@_*${name}* \`@*${name}*\``))).toEqual([]);
  for (const person of [admin, owner]) expect(await flags(await send(person, to, `@*${name}*`))).toEqual(['mentioned']);
  await expectError('BAD_REQUEST', send(owner, to, '@*role:members*'), /role:members.*role:nobody/);
});

// shows: 2.30, 2.31, 9.21
test('a stream wildcard mentions all subscribers, and writes no row for each', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const to = await room(ada, [ben]);
  const { id } = await send(ada, to, '@**all**');
  const wild = ['wildcard_mentioned', 'stream_wildcard_mentioned'];
  expect(await Promise.all([ada, ben].map(flagsOf))).toEqual([wild, wild]);
  expect((await ben.api.getMessage({ message_id: id })).message.flags).toEqual(wild);
  expect((await cleo.api.getMessage({ message_id: id })).message.flags).toEqual(['read', 'historical']);
  const rows = await chat.database.db.execute(`select * from message_flags where message_id = ${id}`);
  expect((Array.isArray(rows) ? rows : (rows as { rows: unknown[] }).rows).length).toBe(0);
  await send(ada, to, '@_**everyone** and `@**stream**`');
  expect(await flagsOf(ben)).toEqual([]);
});

// shows: 2.30, 2.32
test('a topic wildcard mentions the users who wrote in the topic, the sender included', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const to = await room(ada, [ben, cleo]);
  await send(ben, to, 'first');
  const { id } = await send(ada, to, '@**topic**');
  const wild = ['wildcard_mentioned', 'topic_wildcard_mentioned'];
  expect(await Promise.all([ada, ben, cleo].map(flagsOf))).toEqual([wild, wild, []]);
  expect((await ben.api.getMessage({ message_id: id })).message.flags).toEqual(wild);
  expect((await cleo.api.getMessage({ message_id: id })).message.flags).toEqual([]);
});

// shows: 4.4.26
test('a wildcard that mentions more than 15 users needs wildcard_mention_policy', async () => {
  const admin = await chat.user('iago', { role: 'admin' });
  const crowd = await Promise.all(Array.from({ length: 15 }, () => chat.user('eve', { mirrored: false })));
  const [ada] = crowd as [TestUser];
  const name = `hall ${made++}`;
  await chat.stream(name, { by: ada, members: crowd });
  for (const one of crowd) await send(one, name, 'here');
  await send(ada, name, '@**all** @**topic**');
  // The messages of the Notification Bot in the topic do not count: a bot is not mentioned by a wildcard.
  const { message } = await ada.api.getMessage({ message_id: (await send(ada, name, 'here')).id });
  await ada.api.updateMessage({ message_id: message.id, topic: `✔ ${message.subject}`, propagate_mode: 'change_all' });
  await ada.api.updateMessage({ message_id: message.id, topic: message.subject, propagate_mode: 'change_all' });
  await send(ada, name, '@**topic**');
  await chat.stream(`${name} too`, { by: ada, members: [...crowd, admin] });
  await expectError('STREAM_WILDCARD_MENTION_NOT_ALLOWED', send(ada, `${name} too`, '@**everyone**'));
  await send(ada, `${name} too`, '@_**everyone**');
  await send(admin, `${name} too`, '@**everyone**');
  await send(admin, name, '@**topic**');
  await expectError('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', send(ada, name, '@**topic**'));
  expect(await send(ada, name, '@**all**')).toMatchObject({ id: expect.any(Number) });
});

test('only streams that the sender can see become links', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const to = await room(ada, [ben]);
  const secret = `vault ${made++}`;
  await chat.stream(secret, { by: ben, invite_only: true });
  const content = async (from: TestUser) => {
    const { id } = await send(from, to, `#**${secret}** #**${to}>soup**`);
    return (await from.api.getMessage({ message_id: id })).message.content;
  };
  expect(await content(ada)).toContain(`#**${secret}**`);
  expect(await content(ben)).toMatch(
    new RegExp(`<a class="stream"[^>]*>#${secret}</a>.*<a class="stream-topic"[^>]*>#${to} &gt; soup</a>`),
  );
});
