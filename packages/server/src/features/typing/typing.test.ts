import { applyEvent } from '@parley/client';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { deactivateUser } from '../user-admin/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

let made = 0;
const newName = () => `room ${made++}`;
const quiet = (name: string) => chat.user(name, { mirrored: false });
const types = (person: TestUser, params: object) => person.api.setTyping(params as never);
const shown = ({ id, email }: TestUser) => ({ user_id: id, email });
const ids = (...people: TestUser[]) => people.map(({ id }) => id);

describe('in a direct conversation', () => {
  // shows: 3.6, 3.7, 4.8.1, 6.1
  test('everyone in it hears who is typing and who stopped, the sender too, and nobody else', async () => {
    const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
    await types(ben, { op: 'start', to: ids(cleo, ada) });
    await types(ben, { type: 'direct', op: 'stop', to: ids(cleo, ada) });
    const event = (op: string) => ({
      id: expect.any(Number),
      type: 'typing',
      op,
      message_type: 'direct',
      sender: shown(ben),
      recipients: [ada, ben, cleo].map(shown),
    });
    for (const person of [ada, ben, cleo])
      expect(await person.takeEvents('typing'), person.name).toEqual([event('start'), event('stop')]);
    expect(await dan.takeEvents('typing')).toEqual([]);
  });

  test('whoever is named twice, or names themselves, is in it once', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await types(ada, { op: 'start', to: ids(ben, ada, ben) });
    await types(ada, { op: 'start', to: ids(ada) });
    expect(await ada.takeEvents('typing')).toMatchObject([
      { recipients: [ada, ben].map(shown) },
      { recipients: [shown(ada)] },
    ]);
    expect(await ben.takeEvents('typing')).toHaveLength(1);
  });

  test('people go by their API email: whose address is hidden goes by a stand-in', async () => {
    const ben = await quiet('ben');
    await chat.database.db.execute(sql`update users set email_address_visibility = 4 where id = ${ben.id}`);
    const ada = await chat.user('ada');
    await types(ben, { op: 'start', to: ids(ada) });
    const hidden = { user_id: ben.id, email: `user${ben.id}@${chat.realm.host}` };
    expect(await ada.takeEvents('typing')).toMatchObject([{ sender: hidden, recipients: [hidden, shown(ada)] }]);
  });

  test('who was deactivated is listed, does not hear it, and keeps nobody else from hearing it', async () => {
    const [ada, ben, gone] = await chat.users('ada', 'ben', 'gone');
    await chat.act((ctx) => deactivateUser(ctx, gone.id));
    await types(ada, { op: 'start', to: ids(ben, gone) });
    expect(await ben.takeEvents('typing')).toMatchObject([{ recipients: [ada, ben, gone].map(shown) }]);
  });

  test('a bot may say that it is typing, and the notification bot can be written to', async () => {
    const ben = await chat.user('ben');
    const bot = await chat.user('bo', { bot_of: ben, mirrored: false });
    await types(bot, { op: 'start', to: ids(ben) });
    const { cross_realm_bots = [] } = await ben.api.registerQueue({ event_types: ['realm_user'] });
    await types(ben, { op: 'start', to: cross_realm_bots.map(({ user_id }) => user_id) });
    expect(await ben.takeEvents('typing')).toMatchObject([{ sender: shown(bot) }, { sender: shown(ben) }]);
  });
});

describe('in a stream', () => {
  // shows: 3.6, 3.7, 6.1
  test('its subscribers hear who is typing under which topic, the sender too, and nobody else', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const stream_id = await chat.stream(newName(), { by: ada, members: [ben] });
    await types(ada, { type: 'stream', op: 'start', stream_id, topic: 'soup' });
    await types(ada, { type: 'stream', op: 'stop', stream_id, topic: 'soup' });
    const event = (op: string) => ({
      id: expect.any(Number),
      type: 'typing',
      op,
      message_type: 'stream',
      sender: shown(ada),
      stream_id,
      topic: 'soup',
    });
    for (const person of [ada, ben]) expect(await person.takeEvents('typing')).toEqual([event('start'), event('stop')]);
    expect(await cleo.takeEvents('typing')).toEqual([]);
  });

  test('whoever writes to a public stream from outside is heard inside', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const stream_id = await chat.stream(newName(), { by: ada });
    await types(ben, { type: 'stream', op: 'start', stream_id, topic: 'soup' });
    expect(await ada.takeEvents('typing')).toMatchObject([{ sender: shown(ben) }]);
    expect(await ben.takeEvents('typing')).toEqual([]);
  });

  test.each([
    ['empty', ''],
    ['longer than topics may be', 'soup '.repeat(100)],
    ['with spaces around it', '  soup '],
  ])('the topic goes out as it came: %s', async (_case, topic) => {
    const ada = await chat.user('ada');
    const stream_id = await chat.stream(newName(), { by: ada });
    await types(ada, { type: 'stream', op: 'start', stream_id, topic });
    expect(await ada.takeEvents('typing')).toMatchObject([{ topic }]);
  });

  test('up to 100 subscribers hear it; of 101 nobody does, and the request succeeds all the same', async () => {
    const ada = await quiet('ada');
    const [full, over] = [await chat.stream(newName(), { by: ada }), await chat.stream(newName(), { by: ada })];
    await chat.database.db.execute(sql`
      with made as (
        insert into users (realm_id, delivery_email, email_key, full_name, role, date_joined)
        select ${chat.realm.id}, 'crowd' || n || '@example.com', 'crowd' || n || '@example.com', 'Crowd ' || n, 400, now()
        from generate_series(1, 99) n returning id
      )
      insert into memberships (realm_id, conversation_id, user_id, active, received)
      select ${chat.realm.id}, stream.id, made.id, true, '{[1,)}' from made, unnest(array[${full}, ${over}]::bigint[]) as stream(id)`);
    const [last] = await chat.users('ben');
    await last.api.subscribe({ subscriptions: [{ name: `room ${made - 1}` }] });
    await types(ada, { type: 'stream', op: 'start', stream_id: over, topic: 'soup' });
    expect(await last.takeEvents('typing')).toEqual([]);
    const { queue_id, last_event_id } = await ada.api.registerQueue({ event_types: ['typing'] });
    await types(ada, { type: 'stream', op: 'start', stream_id: full, topic: 'soup' });
    const { events } = await ada.api.getEvents({ queue_id, last_event_id, dont_block: true });
    expect(events).toMatchObject([{ stream_id: full }]);
  });

  test('whoever was removed hears nothing more, not even what was said before', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const name = newName();
    const stream_id = await chat.stream(name, { by: ada, members: [ben], invite_only: true });
    await types(ada, { type: 'stream', op: 'start', stream_id, topic: 'soup' });
    await chat.owner.api.unsubscribe({ subscriptions: [name], principals: [ben.id] });
    await types(ada, { type: 'stream', op: 'start', stream_id, topic: 'soup' });
    expect(await ben.takeEvents('typing')).toEqual([]);
    expect(await ada.takeEvents('typing')).toHaveLength(2);
  });

  test('a bot is heard where its owner may post, and refused elsewhere', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const stream_id = await chat.stream(newName(), { by: ada, invite_only: true });
    const [hers, his] = await Promise.all([ada, ben].map((bot_of) => chat.user('bo', { bot_of, mirrored: false })));
    const writing = { type: 'stream', op: 'start', stream_id, topic: 'soup' };
    await types(hers as TestUser, writing);
    expect(await ada.takeEvents('typing')).toMatchObject([{ sender: shown(hers as TestUser) }]);
    await expectError('BAD_REQUEST', types(his as TestUser, writing), new RegExp(`stream_id.*${stream_id}`));
  });
});

test('typing changes nothing in the state that a client keeps', async () => {
  const ada = await chat.user('ada');
  const { queue_id: _, last_event_id: __, ...state } = await ada.api.registerQueue();
  await types(ada, { op: 'start', to: ids(ada) });
  const [event] = await ada.takeEvents('typing');
  expect(event && applyEvent(state, event)).toBe(state);
});

// shows: 4.8.5, 4.8.6, 4.8.7
test('parameters that the other kind of message needs are not reported as ignored', async () => {
  const ada = await chat.user('ada');
  const stream_id = await chat.stream(newName(), { by: ada });
  const all = { op: 'start', to: ids(ada), stream_id, topic: 'soup' };
  for (const params of [all, { ...all, type: 'stream' }]) {
    expect(await types(ada, params)).not.toHaveProperty('ignored_parameters_unsupported');
  }
});

test('typing writes nothing at all, and takes a handful of statements', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  const stream_id = await chat.stream(newName(), { by: ada, members: [ben] });
  // Whoever tries to write from here on fails, and with them the request.
  await chat.database.db.execute(sql`
    create function refuse_to_write() returns trigger language plpgsql as $$ begin raise exception 'written'; end $$`);
  await chat.database.db.execute(sql`
    do $$ declare name text; begin
      for name in select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('create trigger frozen before insert or update or delete on %I for each statement execute function refuse_to_write()', name);
      end loop;
    end $$`);
  try {
    const direct = await chat.statements(() => types(ada, { op: 'start', to: ids(ben) }));
    const stream = await chat.statements(() => types(ada, { type: 'stream', op: 'start', stream_id, topic: 'soup' }));
    expect(Math.max(direct, stream)).toBeLessThanOrEqual(6);
  } finally {
    await chat.database.db.execute(sql`drop function refuse_to_write() cascade`);
  }
});
