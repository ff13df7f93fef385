import { readFileSync } from 'node:fs';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const historyOf = async ({ api }: TestUser, message_id: number) =>
  (await api.getMessageHistory({ message_id })).message_history;
const shownTo = async ({ api }: TestUser, message_id: number) => (await api.getMessage({ message_id })).message;
const time = expect.any(Number);
/** Advances the clock, so that changes have different times. */
const later = () => chat.clock.advance({ seconds: 10 });

test('an unchanged message has a history of one entry, and no time of an edit', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  const id = await send(ada, '**pea**');
  const { timestamp, ...message } = await shownTo(ben, id);
  expect(await historyOf(ben, id)).toEqual([
    { topic: 'soup', content: '**pea**', rendered_content: '<p><strong>pea</strong></p>', timestamp, user_id: ada.id },
  ]);
  expect(message).not.toHaveProperty('last_edit_timestamp');
  expect(message).not.toHaveProperty('edit_history');
});

test('each change is an entry with the keys that changed: newest first beside the message, oldest first in its history', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  const id = await send(ada, 'pea');
  later();
  await ada.api.updateMessage({ message_id: id, content: 'leek' });
  later();
  await ben.api.updateMessage({ message_id: id, topic: 'stew' });
  later();
  await ada.api.updateMessage({ message_id: id, content: 'rye', topic: 'bread' });
  const { edit_history = [], last_edit_timestamp, timestamp } = await shownTo(ben, id);
  const by = (person: TestUser) => ({ user_id: person.id, timestamp: time });
  const words = (prev_content: string) => ({
    prev_content,
    prev_rendered_content: `<p>${prev_content}</p>`,
    prev_rendered_content_version: 1,
  });
  expect(edit_history).toEqual([
    { ...by(ada), ...words('leek'), prev_topic: 'stew', topic: 'bread' },
    { ...by(ben), prev_topic: 'soup', topic: 'stew' },
    { ...by(ada), ...words('pea') },
  ]);
  const times = edit_history.map((edit) => edit.timestamp);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  expect([last_edit_timestamp, (times[2] ?? 0) >= timestamp + 10]).toEqual([times[0], true]);
  const say = (content: string) => ({ content, rendered_content: `<p>${content}</p>` });
  const before = (prev_content: string) => ({ prev_content, prev_rendered_content: `<p>${prev_content}</p>` });
  expect(await historyOf(ben, id)).toEqual([
    { topic: 'soup', ...say('pea'), timestamp, user_id: ada.id },
    { topic: 'soup', ...say('leek'), ...by(ada), ...before('pea'), content_html_diff: '<del>pea</del><ins>leek</ins>' },
    { topic: 'stew', ...say('leek'), ...by(ben), prev_topic: 'soup' },
    {
      topic: 'bread',
      ...say('rye'),
      ...by(ada),
      ...before('leek'),
      prev_topic: 'stew',
      content_html_diff: '<del>leek</del><ins>rye</ins>',
    },
  ]);
});

test('of messages that move together only the edited one has an entry with content', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  const ids = [await send(ada, 'one'), await send(ada, 'two'), await send(ben, 'three')];
  await send(ada, 'butter', 'bread');
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, content: '2', topic: 'bread', propagate_mode: 'change_all' });
  const topics = { user_id: ada.id, timestamp: time, prev_topic: 'soup', topic: 'bread' };
  const words = { prev_content: 'two', prev_rendered_content: '<p>two</p>', prev_rendered_content_version: 1 };
  for (const [n, id] of ids.entries()) {
    const { edit_history, last_edit_timestamp } = await shownTo(ben, id);
    expect(edit_history).toEqual([n === 1 ? { ...topics, ...words } : topics]);
    expect(last_edit_timestamp).toBe(edit_history?.[0]?.timestamp);
    expect(await historyOf(ben, id)).toHaveLength(2);
  }
});

test('a topic renamed together with an edit of one message gives one entry to each', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  const ids = [await send(ada, 'one'), await send(ada, 'two')];
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, content: '1', topic: 'stew', propagate_mode: 'change_all' });
  later();
  const late = await send(ben, 'three', 'stew');
  const keys = await Promise.all(
    [...ids, late].map(async (id) => (await shownTo(ben, id)).edit_history?.map((one) => Object.keys(one).sort())),
  );
  const topics = ['prev_topic', 'timestamp', 'topic', 'user_id'];
  const words = ['prev_content', 'prev_rendered_content', 'prev_rendered_content_version'];
  expect(keys).toEqual([[[...words, ...topics].sort()], [topics], undefined]);
  expect(await historyOf(ben, late)).toMatchObject([{ topic: 'stew', content: 'three' }]);
});

test('a move between streams is one entry with both streams', async () => {
  const { ada, id: stream, send } = await createStreamFixture(chat);
  const admin = await chat.user('iago', { role: 'admin' });
  const { id: other, name } = await createStreamFixture(chat);
  await ada.api.subscribe({ subscriptions: [{ name }] });
  const id = await send(ada, 'pea');
  await admin.api.updateMessage({ message_id: id, stream_id: other, topic: 'stew' });
  const streams = { prev_stream: stream, stream: other };
  expect((await shownTo(ada, id)).edit_history).toEqual([
    { user_id: admin.id, timestamp: time, prev_topic: 'soup', topic: 'stew', ...streams },
  ]);
  expect(await historyOf(ada, id)).toMatchObject([
    { topic: 'soup', user_id: ada.id },
    { topic: 'stew', prev_topic: 'soup', user_id: admin.id, ...streams },
  ]);
  later();
  await admin.api.updateMessage({ message_id: id, stream_id: stream });
  const [last] = (await shownTo(ada, id)).edit_history ?? [];
  expect(last).toEqual({ user_id: admin.id, timestamp: time, prev_stream: other, stream });
});

test('the difference between two contents is safe HTML', async () => {
  const { ada, send } = await createStreamFixture(chat);
  const id = await send(ada, 'a <b> & "c"');
  await ada.api.updateMessage({ message_id: id, content: 'a <script> & "c"' });
  const [, edited] = await historyOf(ada, id);
  const shown = edited?.content_html_diff ?? '';
  expect(shown.replaceAll(/<\/?(ins|del)>/g, '')).not.toMatch(/[<>"]/);
  expect(shown.replaceAll(/<ins>.*?<\/ins>/g, '').replaceAll(/<\/?del>/g, '')).toBe('a &lt;b&gt; &amp; &quot;c&quot;');
  expect(shown.replaceAll(/<del>.*?<\/del>/g, '').replaceAll(/<\/?ins>/g, '')).toBe(
    'a &lt;script&gt; &amp; &quot;c&quot;',
  );
});

test('a direct message has a history without topics', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const id = await chat.message({ from: ada, to: [ben], content: 'pea' });
  await ada.api.updateMessage({ message_id: id, content: 'leek' });
  expect(await historyOf(ben, id)).toMatchObject([
    { topic: '', content: 'pea' },
    { topic: '', content: 'leek', prev_content: 'pea' },
  ]);
});

test('a page of messages has the history of each message', async () => {
  const { ada, ben, id: stream, send } = await createStreamFixture(chat);
  const ids = [await send(ada, 'one'), await send(ada, 'two'), await send(ada, 'three')];
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, content: '1' });
  await ben.api.updateMessage({ message_id: ids[2] ?? 0, topic: 'stew' });
  const { messages } = await ben.api.getMessages({
    anchor: ids[0] ?? 0,
    num_before: 0,
    num_after: 2,
    narrow: [['stream', stream]],
  });
  expect(messages.map(({ last_edit_timestamp, edit_history }) => [last_edit_timestamp, edit_history])).toEqual(
    await Promise.all(
      ids.map(async (id) => {
        const { last_edit_timestamp, edit_history } = await shownTo(ben, id);
        return [last_edit_timestamp, edit_history];
      }),
    ),
  );
  expect(messages.map(({ edit_history }) => edit_history?.length)).toEqual([1, undefined, 1]);
});

test('a page has the renames of topics that servers of the release before store', async () => {
  const { ada, id: stream, send } = await createStreamFixture(chat);
  const [before, after] = [await send(ada, 'one'), await send(ada, 'two')];
  const rename = sql`insert into topic_moves (realm_id, user_id, moved_at, from_stream_id, to_stream_id, from_topic_id, to_topic_id, from_topic, to_topic, up_to)
    select m.realm_id, ${ada.id}, now(), ${stream}::bigint, ${stream}::bigint, m.topic_id, m.topic_id, 'stew', 'soup', m.id
    from messages m where m.id = ${before}`;
  await chat.database.db.execute(rename);
  const { messages } = await ada.api.getMessages({ anchor: before, num_before: 0, num_after: 1 });
  expect(messages.map(({ id, edit_history }) => [id, edit_history])).toEqual([
    [before, [{ user_id: ada.id, timestamp: time, prev_topic: 'stew', topic: 'soup' }]],
    [after, undefined],
  ]);
});

test('a page has the renames that are older than the column that says so', async () => {
  const { ada, send } = await createStreamFixture(chat);
  const renamed = await send(ada, 'one');
  await ada.api.updateMessage({ message_id: renamed, topic: 'stew', propagate_mode: 'change_all' });
  const page = async () => (await ada.api.getMessages({ anchor: renamed, num_before: 0, num_after: 0 })).messages;
  const before = await page();
  expect(before).toMatchObject([{ edit_history: [{ prev_topic: 'soup', topic: 'stew' }] }]);
  const { db } = chat.database;
  await db.execute(sql`update topics set renamed_up_to = null where realm_id = ${chat.realm.id}`);
  expect(await page()).not.toEqual(before);
  const migration = new URL('../../../../db/migrations/0018_topics_renamed_up_to.sql', import.meta.url);
  const [, fill = ''] = /(^update "topics".*)/ims.exec(readFileSync(migration, 'utf8')) ?? [];
  await db.execute(sql.raw(fill));
  expect(await page()).toEqual(before);
});

test('a page takes two statements more if messages were moved, for moves and for edits, however many there are', async () => {
  const { ada, send } = await createStreamFixture(chat);
  const ids = [await send(ada, 'one'), await send(ada, 'two'), await send(ada, 'three')];
  const page = () => chat.statements(() => ada.api.getMessages({ anchor: ids[0] ?? 0, num_before: 0, num_after: 2 }));
  await page();
  const before = await page();
  for (const [moved, message_id] of ids.entries()) {
    await ada.api.updateMessage({ message_id, topic: `stew ${moved}`, propagate_mode: 'change_one' });
    expect(await page()).toBe(before + 2);
  }
});

test('where the history is hidden, only the time of the last change is returned', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  const id = await send(ada, 'pea');
  await ada.api.updateMessage({ message_id: id, content: 'leek' });
  const admin = await chat.user('iago', { role: 'admin' });
  await chat.owner.api.updateRealm({ allow_edit_history: false });
  try {
    for (const person of [ada, ben, admin]) await expectError('BAD_REQUEST', historyOf(person, id), /does not show/);
    await expectError('BAD_REQUEST', historyOf(ben, 987_654), /no message 987654/);
    const shown = await shownTo(ben, id);
    expect(shown).toMatchObject({ last_edit_timestamp: time, content: '<p>leek</p>' });
    expect(shown).not.toHaveProperty('edit_history');
  } finally {
    await chat.owner.api.updateRealm({ allow_edit_history: true });
  }
  expect(await historyOf(ben, id)).toHaveLength(2);
});
