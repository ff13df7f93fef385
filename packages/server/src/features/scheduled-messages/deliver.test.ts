import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { copyScheduled, inSeconds, pass, schedule, scheduledBy } from '../../../test/scheduling.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

const written = async ({ api }: TestUser, stream: number) =>
  (
    await api.getMessages({
      anchor: 'newest',
      num_before: 1000,
      num_after: 0,
      narrow: [['stream', stream]],
      apply_markdown: false,
    })
  ).messages
    .filter(({ sender_full_name }) => sender_full_name !== 'Notification Bot')
    .map(({ content }) => content);
const fromTheBot = async (person: TestUser) =>
  (await person.takeEvents('message'))
    .filter(({ message }) => message.type === 'private' && message.sender_full_name === 'Notification Bot')
    .map(({ message }) => message.content);

describe('a scheduled message that is due', () => {
  // shows: 2.44
  test('is sent as its author would send it, and is then not scheduled any more', async () => {
    const { ada, ben, id, discardEvents } = await createStreamFixture(chat);
    chat.clock.stop();
    const waiting = await schedule(chat, ada, id, { content: `@**${ben.full_name}** *hi*`, topic: 'news' });
    await discardEvents();
    await pass(chat, { seconds: 59 });
    expect(await ben.takeEvents()).toEqual([]);
    await pass(chat, { seconds: 2 });
    const [event] = await ben.takeEvents('message');
    expect(event).toMatchObject({
      flags: ['mentioned'],
      message: { sender_id: ada.id, stream_id: id, subject: 'news', type: 'stream' },
    });
    expect(event?.message.id).not.toBe(waiting);
    const events = await ada.takeEvents();
    expect(events.map((one) => ('op' in one ? `${one.type} ${one.op}` : one.type))).toEqual([
      'message',
      'user_topic',
      'scheduled_messages remove',
    ]);
    expect(events.at(-1)).toMatchObject({ scheduled_message_id: waiting });
    expect(await scheduledBy(ada)).toEqual([]);
    await pass(chat);
    expect(await ben.takeEvents('message')).toEqual([]);
  });

  // shows: 2.48
  test('can be a direct message, with the time of its sending', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    await schedule(chat, ada, [ben, cleo]);
    await pass(chat, { minutes: 2 });
    for (const person of [ada, ben, cleo]) {
      const [event] = await person.takeEvents('message');
      expect(event?.message).toMatchObject({ type: 'private', content: '<p>later</p>', sender_id: ada.id });
      expect(Math.abs((event?.message.timestamp ?? 0) - inSeconds(chat, 0))).toBeLessThan(5);
    }
  });

  test('is read for its author by the client that scheduled it, or by read_by_sender', async () => {
    const { ada, ben, id, discardEvents } = await createStreamFixture(chat);
    await schedule(chat, ada, id, { content: 'program', client: 'robot' });
    await schedule(chat, ada, id, { content: 'person', client: 'website' });
    await schedule(chat, ada, id, { content: 'wanted', client: 'robot', read_by_sender: true });
    await schedule(chat, ada, id, { content: 'unwanted', client: 'website', read_by_sender: false });
    await discardEvents();
    await pass(chat);
    const heard = await ada.takeEvents('message');
    expect(heard.map(({ message, flags }) => [message.content, message.client, flags])).toEqual([
      ['<p>program</p>', 'robot', []],
      ['<p>person</p>', 'website', ['read']],
      ['<p>wanted</p>', 'robot', ['read']],
      ['<p>unwanted</p>', 'website', []],
    ]);
    for (const { flags } of await ben.takeEvents('message')) expect(flags).toEqual([]);
  });

  test('is rendered with the linkifiers at the time of sending', async () => {
    const { ada, id } = await createStreamFixture(chat);
    await schedule(chat, ada, id, { content: 'see #77' });
    await chat.owner.api.addLinkifier({ pattern: '#(?P<n>[0-9]+)', url_template: 'https://t.example/{n}' });
    await ada.takeEvents();
    await pass(chat);
    const [event] = await ada.takeEvents('message');
    expect(event?.message.content).toBe('<p>see <a href="https://t.example/77">#77</a></p>');
  });

  test('of one author for one time are sent in the order of creation, others in the order of their times', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    const at = (seconds: number) => ({ scheduled_delivery_timestamp: inSeconds(chat, seconds) });
    const time = at(30);
    for (const content of ['1', '2', '3', '4']) await schedule(chat, ada, id, { content, ...time });
    await schedule(chat, ben, id, { content: '0', ...at(10) });
    await pass(chat);
    expect(await written(ada, id)).toEqual(['0', '1', '2', '3', '4']);
  });

  test('is sent when many are due at once, in several batches', async () => {
    const { ben, id } = await createStreamFixture(chat);
    const eve = await chat.user('eve', { mirrored: false });
    await copyScheduled(chat, await schedule(chat, eve, id, { content: '0' }), 229);
    await pass(chat);
    expect((await written(ben, id)).map(Number)).toEqual(Array.from({ length: 230 }, (_, n) => n));
    expect(await scheduledBy(eve)).toEqual([]);
  }, 60_000);
});

describe('a scheduled message that cannot be sent', () => {
  const cases: [string, (here: Awaited<ReturnType<typeof createStreamFixture>>) => Promise<unknown>, RegExp][] = [
    [
      'its author may not post any more',
      ({ id }) => chat.owner.api.updateStream({ stream_id: id, stream_post_policy: 2 }),
      /administrators/,
    ],
    ['its stream was archived', ({ id }) => chat.owner.api.archiveStream({ stream_id: id }), /There is no stream/],
    [
      'its content mentions more users than its author may',
      async ({ ada, name }) => {
        const crowd = await Promise.all(Array.from({ length: 16 }, () => chat.user('fan', { mirrored: false })));
        await ada.api.subscribe({ subscriptions: [{ name }], principals: crowd.map((fan) => fan.id) });
      },
      /mention everyone/,
    ],
  ];
  // shows: 2.49
  test.each(cases)('fails when %s, and the Notification Bot sends the author the reason', async (_, change, reason) => {
    const here = await createStreamFixture(chat);
    const { ben, ada, id } = here;
    const waiting = await schedule(chat, ben, id, { content: '@**all** look' });
    await change(here);
    await here.discardEvents();
    await pass(chat);
    const [failed] = await scheduledBy(ben);
    expect(failed).toMatchObject({ scheduled_message_id: waiting, failed: true, content: '@**all** look' });
    expect(await ben.takeEvents('scheduled_messages')).toMatchObject([{ op: 'update', scheduled_message: failed }]);
    const [notice, ...more] = await fromTheBot(ben);
    expect(notice).toMatch(/could not be sent/);
    expect(notice).toMatch(reason);
    expect(more).toEqual([]);
    expect(await ada.takeEvents('message')).toEqual([]);
    await pass(chat);
    expect(await ben.takeEvents()).toEqual([]);
  });

  test('fails when it is more than ten minutes late, and is sent when exactly ten', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    await schedule(chat, ada, id, { content: 'late', scheduled_delivery_timestamp: inSeconds(chat, 10) });
    await schedule(chat, ben, id, { content: 'just', scheduled_delivery_timestamp: inSeconds(chat, 12) });
    for (const person of [ada, ben]) await person.takeEvents();
    chat.clock.advance({ seconds: 300 });
    for (const person of [ada, ben]) await person.takeEvents();
    await pass(chat, { seconds: 311 });
    expect(await written(ada, id)).toEqual(['just']);
    expect(await scheduledBy(ada)).toMatchObject([{ failed: true, content: 'late' }]);
    expect(await fromTheBot(ada)).toMatchObject([expect.stringMatching(/in time/)]);
  });

  test('fails when its author is deactivated, without a message to them, and is listed after reactivation', async () => {
    const { ada, ben, id, discardEvents } = await createStreamFixture(chat);
    await schedule(chat, ben, id);
    await schedule(chat, ben, [ada]);
    await discardEvents();
    await chat.database.db.execute(`update users set is_active = false where id = ${ben.id}`);
    await pass(chat);
    expect(await ada.takeEvents('message')).toEqual([]);
    await chat.database.db.execute(`update users set is_active = true where id = ${ben.id}`);
    expect((await scheduledBy(ben)).map(({ failed }) => failed)).toEqual([true, true]);
    expect(await fromTheBot(ben)).toEqual([]);
  });

  test('leaves no trace of the attempt: no topic, no policy, no event', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    const crowd = await Promise.all(Array.from({ length: 16 }, () => chat.user('fan', { mirrored: false })));
    await schedule(chat, ben, id, { content: '@**all**', topic: 'never' });
    await ada.api.subscribe({
      subscriptions: [{ name: (await ada.api.getStream({ stream_id: id })).stream.name }],
      principals: crowd.map((fan) => fan.id),
    });
    await ben.takeEvents();
    await pass(chat);
    expect((await ben.takeEvents()).map(({ type }) => type)).toEqual(['scheduled_messages', 'message']);
    const { topics } = await ada.api.getStreamTopics({ stream_id: id });
    expect(topics.map(({ name }) => name)).not.toContain('never');
  });

  test('stays scheduled while the organization is deactivated, and fails as too late when reactivated', async () => {
    const { realm, owner } = await chat.otherRealm('closing');
    const stream = await chat.stream('last', { by: owner });
    await schedule(chat, owner, stream);
    await chat.database.db.execute(`update realms set deactivated_at = now() where id = ${realm.id}`);
    await pass(chat, { minutes: 20 });
    await chat.database.db.execute(`update realms set deactivated_at = null where id = ${realm.id}`);
    expect(await scheduledBy(owner)).toMatchObject([{ failed: false }]);
    await pass(chat);
    expect(await scheduledBy(owner)).toMatchObject([{ failed: true }]);
  });

  test('because of an internal error is retried, and does not delay others', async () => {
    const { ada, ben, id } = await createStreamFixture(chat);
    await schedule(chat, ada, id, { content: 'poison' });
    await schedule(chat, ada, id, { content: 'after it' });
    await schedule(chat, ben, id, { content: 'beside it' });
    const { db } = chat.database;
    await db.execute(`alter table messages add constraint no_poison check (content <> 'poison')`);
    await pass(chat);
    expect((await written(ada, id)).sort()).toEqual(['after it', 'beside it']);
    expect(await scheduledBy(ada)).toMatchObject([{ content: 'poison', failed: false }]);
    await pass(chat, { seconds: 11 });
    expect(await scheduledBy(ada)).toMatchObject([{ content: 'poison', failed: false }]);
    await db.execute('alter table messages drop constraint no_poison');
    await pass(chat, { seconds: 11 });
    expect((await written(ada, id)).sort()).toEqual(['after it', 'beside it', 'poison']);
  });

  test('when the clock jumps back nothing is sent twice or early; after a jump ahead late ones fail', async () => {
    const { ada, id } = await createStreamFixture(chat);
    await schedule(chat, ada, id, { content: 'once' });
    await pass(chat);
    await schedule(chat, ada, id, { content: 'to come' });
    await pass(chat, { hours: -2 });
    await pass(chat, { minutes: 119 });
    expect(await written(ada, id)).toEqual(['once']);
    await pass(chat, { minutes: 3 });
    expect(await written(ada, id)).toEqual(['once', 'to come']);
    await schedule(chat, ada, id, { content: 'stale' });
    await pass(chat, { hours: 5 });
    expect(await written(ada, id)).toEqual(['once', 'to come']);
    expect(await scheduledBy(ada)).toMatchObject([{ content: 'stale', failed: true }]);
  });
});
