// One statement reads most parts of the state; each part is the same whichever others are fetched with it.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { picture } from '../../../test/pictures.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

/** The event types that fetch a part of the state, each with a field of that part. */
const fieldOf = {
  message: 'max_message_id',
  recent_private_conversations: 'recent_private_conversations',
  realm: 'realm_name',
  realm_user: 'realm_users',
  realm_bot: 'realm_bots',
  subscription: 'subscriptions',
  stream: 'streams',
  default_streams: 'realm_default_streams',
  update_message_flags: 'unread_msgs',
  starred_messages: 'starred_messages',
  user_settings: 'user_settings',
  realm_user_settings_defaults: 'realm_user_settings_defaults',
  user_status: 'user_status',
  presence: 'presences',
  muted_users: 'muted_users',
  alert_words: 'alert_words',
  scheduled_messages: 'scheduled_messages',
  drafts: 'drafts',
  user_topic: 'user_topics',
  realm_emoji: 'realm_emoji',
  realm_linkifiers: 'realm_linkifiers',
  realm_playgrounds: 'realm_playgrounds',
  custom_profile_fields: 'custom_profile_fields',
  realm_user_groups: 'realm_user_groups',
} as const;
const types = Object.keys(fieldOf) as (keyof typeof fieldOf)[];

/** The fields of every registration. */
const ENVELOPE = [
  'result',
  'msg',
  'queue_id',
  'last_event_id',
  'service_feature_level',
  'service_version',
  'service_merge_base',
];

test('each part that is fetched alone equals that of a registration that fetches all', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('kitchen', { by: ada, members: [ben] });
  const id = await chat.message({ from: ada, to: 'kitchen' });
  await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' });
  await ben.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 3 });
  await ben.api.muteUser({ user_id: ada.id });
  await ben.api.addAlertWords({ alert_words: ['soup', 'bread'] });
  await ben.api.createDrafts({ drafts: [{ type: 'stream', to: [stream_id], topic: 'soup', content: 'later' }] });
  await ben.api.updateStatus({ status_text: 'cooking' });
  await ben.api.updatePresence({ status: 'active', ping_only: true });
  chat.clock.stop();
  const all: Record<string, unknown> = { ...(await ben.api.registerQueue()) };
  const seen = new Set(ENVELOPE);
  for (const type of types) {
    const part = await ben.api.registerQueue({ fetch_event_types: [type] });
    const fields = Object.entries(part).filter(([name]) => !ENVELOPE.includes(name));
    expect(Object.fromEntries(fields), type).toHaveProperty(fieldOf[type]);
    for (const [name, value] of fields) expect(value, `${type}: ${name}`).toEqual(all[name]);
    for (const [name] of fields) seen.add(name);
  }
  expect(Object.keys(all).filter((name) => !seen.has(name))).toEqual([]);
});

test('a registration takes few statements, and no more when it fetches one part', async () => {
  const [ada] = await chat.users('ada');
  await ada.api.registerQueue();
  expect(await chat.statements(() => ada.api.registerQueue())).toBeLessThanOrEqual(10);
  expect(await chat.statements(() => ada.api.registerQueue({ fetch_event_types: ['drafts'] }))).toBeLessThanOrEqual(9);
  expect(await chat.statements(() => ada.api.registerQueue({ fetch_event_types: [] }))).toBeLessThanOrEqual(8);
});

test('the texts of the two statements do not depend on the parts that are fetched', async () => {
  const [ada] = await chat.users('ada');
  for (const type of types) await ada.api.registerQueue({ fetch_event_types: [type] });
  const prepared = await rows(
    chat.database.db,
    sql`select from pg_prepared_statements where statement like 'select /* generic plan */ case when %'`,
  );
  expect(prepared).toHaveLength(2);
});

test('what registrations share is read once, and again after each of its changes', async () => {
  const [ada] = await chat.users('ada');
  const { api } = chat.owner;
  const fetch_event_types = [
    'user_status',
    'realm_user_settings_defaults',
    'realm_emoji',
    'realm_linkifiers',
    'realm_playgrounds',
    'custom_profile_fields',
    'realm',
    'realm_user',
    'realm_bot',
    'subscription',
    'stream',
  ] as const;
  const register = () => ada.api.registerQueue({ fetch_event_types });
  await register();
  const again = await chat.statements(register);
  await chat.message({ from: ada, to: [ada] });
  await register();
  expect(await chat.statements(register)).toBe(again);
  await api.updateRealm({ description: 'Cooks', create_public_stream_policy: 3 });
  expect(await register()).toMatchObject({ realm_description: 'Cooks', can_create_public_streams: true });
  await api.updateRealm({ waiting_period_threshold: 1_000 });
  expect(await register()).toMatchObject({ can_create_public_streams: false });
  const { id: user_id } = await chat.user('timer', { bot_of: ada });
  expect(await register()).toMatchObject({ realm_bots: [{ user_id }] });
  await api.updateUser({ user_id, full_name: 'Clock' });
  expect(await register()).toMatchObject({ realm_bots: [{ user_id, full_name: 'Clock' }] });
  await api.deactivateUser({ user_id });
  expect(await register()).toMatchObject({ realm_bots: [] });
  await ada.api.updateStatus({ status_text: 'cooking' });
  expect(await register()).toMatchObject({ user_status: { [ada.id]: { status_text: 'cooking' } } });
  await ada.api.updateSettings({ presence_enabled: false });
  expect(await register()).toMatchObject({ user_status: { [ada.id]: { away: true, status_text: 'cooking' } } });
  const name = 'after_state';
  await api.updateUserSettingsDefaults({ twenty_four_hour_time: true });
  expect(await register()).toMatchObject({ realm_user_settings_defaults: { twenty_four_hour_time: true } });
  await api.uploadCustomEmoji({ name, file: await picture() });
  expect(JSON.stringify((await register()).realm_emoji)).toContain(name);
  await api.addLinkifier({ pattern: '#(?P<number>[0-9]+)', url_template: 'https://example.com/{number}' });
  expect(JSON.stringify((await register()).realm_linkifiers)).toContain('{number}');
  await api.addPlayground({ name, pygments_language: 'Python', url_template: 'https://example.com/{code}' });
  expect(JSON.stringify((await register()).realm_playgrounds)).toContain(name);
  await api.createProfileField({ name, field_type: 1 });
  expect(JSON.stringify((await register()).custom_profile_fields)).toContain(name);
});

test('the state is that of the account as it is, also if it changed since the queue was added', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const bot = await chat.user('bot', { bot_of: await chat.user('ben', { mirrored: false }), mirrored: false });
  // The first transaction of a registration reads the account, adds the queue and commits; the second one reads the state.
  await chat.database.db.execute(sql`create function change_account() returns trigger language plpgsql as $$ begin
    update users set full_name = 'Ada the admin', role = 200 where realm_id = new.realm_id and id = new.user_id;
    return null;
  end $$`);
  await chat.database.db.execute(
    sql`create trigger change_account after insert on event_queues for each row execute function change_account()`,
  );
  try {
    const state = await ada.api.registerQueue();
    expect(state).toMatchObject({ full_name: 'Ada the admin', is_admin: true });
    // Only administrators see the bots of others.
    expect(state.realm_bots).toMatchObject([{ user_id: bot.id }]);
  } finally {
    await chat.database.db.execute(sql`drop trigger change_account on event_queues`);
  }
});

test('times do not depend on the time zone of the database', async () => {
  const [ada] = await chat.users('ada');
  await chat.database.db.execute(sql`set timezone to 'Asia/Kolkata'`);
  const timestamp = 253_402_300_799;
  await ada.api.createDrafts({ drafts: [{ type: '', to: [], topic: '', content: 'much later', timestamp }] });
  const { drafts } = await ada.api.registerQueue({ fetch_event_types: ['drafts'] });
  expect(drafts).toMatchObject([{ timestamp }]);
});
