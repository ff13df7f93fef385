// What a full collection must not prevent, and ways around its limit.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { expect, test } from 'vitest';
import { expectError, startChat, type TestUser } from '../chat.ts';

const topicsOf = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['user_topic'] })).user_topics ?? [];

test('a user with as many topic policies as the limit can write, react and be mentioned as before, and follows no more', async () => {
  const chat = await startChat({ collection_limits: { user_topics: 1 } });
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('kitchen', { by: ada, members: [ben] });
  await ben.api.updateSettings({ automatically_follow_topics_policy: 1 });
  await ben.api.updateUserTopic({ stream_id, topic: 'bread', visibility_policy: 2 });
  await ben.takeEvents('user_topic');
  await chat.message({ from: ben, to: 'kitchen', topic: 'soup' });
  const message_id = await chat.message({ from: ada, to: 'kitchen', topic: 'wine', content: `@**${ben.full_name}**` });
  await ben.api.addReaction({ message_id, emoji_name: 'heart' });
  expect(await ben.takeEvents('user_topic')).toEqual([]);
  expect(await topicsOf(ben)).toMatchObject([{ topic_name: 'bread', visibility_policy: 2 }]);
  // An existing policy can change.
  await ben.api.updateUserTopic({ stream_id, topic: 'bread', visibility_policy: 3 });
  expect(await topicsOf(ben)).toMatchObject([{ topic_name: 'bread', visibility_policy: 3 }]);
  await chat.close();
});

test('no user gets more bots than the limit from another owner or from a reactivation', async () => {
  const chat = await startChat({ collection_limits: { bots: 1 } });
  const [ada, ben] = await chat.users('ada', 'ben');
  const botOf = async ({ api }: TestUser, short_name: string) =>
    (await api.createBot({ full_name: 'A Bot', short_name })).user_id;
  const first = await botOf(ada, 'first');
  const other = await botOf(ben, 'other');
  await expectError('BAD_REQUEST', ada.api.updateBot({ bot_id: first, bot_owner_id: ben.id }), /\(limit "bots"\)/);
  await ada.api.deactivateBot({ bot_id: first });
  await botOf(ada, 'second');
  await expectError('BAD_REQUEST', chat.owner.api.reactivateUser({ user_id: first }), /\(limit "bots"\)/);
  expect((await ada.api.getBots()).bots).toHaveLength(1);
  expect((await ben.api.getBots()).bots).toMatchObject([{ user_id: other }]);
  await chat.close();
});

test('an update cannot make drafts or scheduled messages larger than their limit, but smaller', async () => {
  const chat = await startChat({ collection_limits: { draft_bytes: 3000, scheduled_message_bytes: 6000 } });
  const { id, api } = await chat.user('ben', { mirrored: false });
  const draft = (content: string) => ({ type: '' as const, to: [], topic: '', content });
  const { ids } = await api.createDrafts({ drafts: [draft('x'.repeat(1000)), draft('y'.repeat(1000))] });
  const update = (draft_id: number, content: string) => api.updateDraft({ draft_id, draft: draft(content) });
  await expectError('BAD_REQUEST', update(ids[0] ?? 0, 'x'.repeat(2000)), /\(limit "draft_bytes"\)/);
  await update(ids[0] ?? 0, 'x');
  await update(ids[1] ?? 0, 'y'.repeat(2000));
  const scheduled_delivery_timestamp = Math.floor(chat.clock().getTime() / 1000) + 3600;
  const schedule = (content: string) =>
    api.scheduleMessage({ type: 'direct', to: [id], content, scheduled_delivery_timestamp });
  const [first, second] = [await schedule('x'.repeat(1000)), await schedule('y'.repeat(1000))];
  const larger = { ...second, content: 'y'.repeat(2000) };
  await expectError('BAD_REQUEST', api.updateScheduledMessage(larger), /\(limit "scheduled_message_bytes"\)/);
  await api.updateScheduledMessage({ ...first, content: 'x' });
  await api.updateScheduledMessage(larger);
  const state = await api.registerQueue({ fetch_event_types: ['drafts', 'scheduled_messages'] });
  expect(state.drafts?.map(({ content }) => content.length).sort()).toEqual([1, 2000]);
  expect(state.scheduled_messages?.map(({ content }) => content.length).sort()).toEqual([1, 2000]);
  await chat.database.db.execute(sql`update drafts set bytes = 100000 where user_id = ${id}`);
  await update(ids[1] ?? 0, 'y'.repeat(1500));
  await chat.close();
});

test('the counted bytes of drafts and scheduled messages are those in a registration', async () => {
  const chat = await startChat();
  const { id, api } = await chat.user('ben', { mirrored: false });
  await chat.stream('kitchen', { by: chat.owner });
  const content = '\u0001"\\é:a: *so* @**all**'.repeat(100);
  await api.createDrafts({ drafts: [{ type: 'private', to: [id], topic: '', content }] });
  const scheduled_delivery_timestamp = Math.floor(chat.clock().getTime() / 1000) + 3600;
  await api.scheduleMessage({ type: 'direct', to: [id], content, scheduled_delivery_timestamp });
  const state = await api.registerQueue({ fetch_event_types: ['drafts', 'scheduled_messages'] });
  for (const [table, items] of [
    ['drafts', state.drafts],
    ['scheduled_messages', state.scheduled_messages],
  ] as const) {
    const counted = sql`select sum(bytes)::int as bytes from ${sql.identifier(table)} where user_id = ${id}`;
    const [{ bytes } = { bytes: 0 }] = await rows<{ bytes: number }>(chat.database.db, counted);
    const size = Buffer.byteLength(JSON.stringify(items?.[0]));
    expect(bytes).toBeGreaterThanOrEqual(size);
    expect(bytes).toBeLessThan(size + 30);
  }
  await chat.close();
});

test('a registration whose state the server cannot read leaves no queue behind', async () => {
  const chat = await startChat({ ownDatabase: true, collection_limits: { event_queues: 1 } });
  const ben = await chat.user('ben', { mirrored: false });
  await chat.database.db.execute(sql`alter table playgrounds rename to hidden_playgrounds`);
  await expectError('INTERNAL_SERVER_ERROR', ben.api.registerQueue({}));
  await chat.database.db.execute(sql`alter table hidden_playgrounds rename to playgrounds`);
  const { queue_id } = await ben.api.registerQueue({});
  expect(queue_id).not.toBe('');
  await chat.close();
});
