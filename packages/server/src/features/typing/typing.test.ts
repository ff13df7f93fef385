import { applyEvent } from '@parley/client';
import { sql } from '@parley/db/sql';
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
const ids = (...users: TestUser[]) => users.map(({ id }) => id);

describe('in a direct conversation', () => {
  // shows: 3.6, 3.7, 4.8.1, 6.1
  test('all participants receive start and stop, the sender too, and no others', async () => {
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

  test('a user who is named twice, or the sender, is a recipient once', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await types(ada, { op: 'start', to: ids(ben, ada, ben) });
    await types(ada, { op: 'start', to: ids(ada) });
    expect(await ada.takeEvents('typing')).toMatchObject([
      { recipients: [ada, ben].map(shown) },
      { recipients: [shown(ada)] },
    ]);
    expect(await ben.takeEvents('typing')).toHaveLength(1);
  });

  test('users are shown with their API email: a hidden address is replaced', async () => {
    const ben = await quiet('ben');
    await chat.database.db.execute(sql`update users set email_address_visibility = 4 where id = ${ben.id}`);
    const ada = await chat.user('ada');
    await types(ben, { op: 'start', to: ids(ada) });
    const hidden = { user_id: ben.id, email: `user${ben.id}@${chat.realm.host}` };
    expect(await ada.takeEvents('typing')).toMatchObject([{ sender: hidden, recipients: [hidden, shown(ada)] }]);
  });

  test('a deactivated user is listed as a recipient, and the others receive the event', async () => {
    const [ada, ben, deactivated] = await chat.users('ada', 'ben', 'gone');
    await chat.act((ctx) => deactivateUser(ctx, deactivated.id));
    await types(ada, { op: 'start', to: ids(ben, deactivated) });
    expect(await ben.takeEvents('typing')).toMatchObject([{ recipients: [ada, ben, deactivated].map(shown) }]);
  });

  test('a bot can send typing notifications, and the Notification Bot can be a recipient', async () => {
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
  test('its subscribers receive the sender and the topic, the sender too, and no others', async () => {
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

  test('subscribers of a public stream receive the notification of a user without a subscription', async () => {
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
  ])('the topic is delivered as it was sent: %s', async (_case, topic) => {
    const ada = await chat.user('ada');
    const stream_id = await chat.stream(newName(), { by: ada });
    await types(ada, { type: 'stream', op: 'start', stream_id, topic });
    expect(await ada.takeEvents('typing')).toMatchObject([{ topic }]);
  });

  test('up to 100 subscribers receive it; with 101 none does, and the request succeeds', async () => {
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

  test('a user who was removed receives nothing more, not even earlier notifications', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const name = newName();
    const stream_id = await chat.stream(name, { by: ada, members: [ben], invite_only: true });
    await types(ada, { type: 'stream', op: 'start', stream_id, topic: 'soup' });
    await chat.owner.api.unsubscribe({ subscriptions: [name], principals: [ben.id] });
    await types(ada, { type: 'stream', op: 'start', stream_id, topic: 'soup' });
    expect(await ben.takeEvents('typing')).toEqual([]);
    expect(await ada.takeEvents('typing')).toHaveLength(2);
  });

  test('a bot can send it where its owner can post, and fails elsewhere', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const stream_id = await chat.stream(newName(), { by: ada, invite_only: true });
    const [hers, his] = await Promise.all([ada, ben].map((bot_of) => chat.user('bo', { bot_of, mirrored: false })));
    const writing = { type: 'stream', op: 'start', stream_id, topic: 'soup' };
    await types(hers as TestUser, writing);
    expect(await ada.takeEvents('typing')).toMatchObject([{ sender: shown(hers as TestUser) }]);
    await expectError('BAD_REQUEST', types(his as TestUser, writing), new RegExp(`stream_id.*${stream_id}`));
  });
});

test('a typing event does not change the state that a client keeps', async () => {
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

test('a typing notification writes no row, and takes a few statements', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  const stream_id = await chat.stream(newName(), { by: ada, members: [ben] });
  // From here on each write fails, and with it the request.
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
