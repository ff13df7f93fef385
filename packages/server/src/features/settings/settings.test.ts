import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { defaultUserSettings, findUserSettingsOf } from '../user-settings/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const settingsIn = (state: { user_settings?: unknown }) => state.user_settings as Record<string, unknown>;

// shows: 4.13.28
test('a registration has every personal setting, and the available emoji sets and sounds', async () => {
  const ada = await chat.user('ada');
  const settings = settingsIn(await ada.api.registerQueue({ event_types: ['user_settings'] }));
  expect(settings).toMatchObject({
    ...defaultUserSettings,
    emojiset_choices: [{ key: 'google' }, { key: 'google-blob' }, { key: 'twitter' }, { key: 'text' }],
    available_notification_sounds: [
      'parley',
      'ascend',
      'beep_boop',
      'bink',
      'bright',
      'brlip',
      'chime',
      'ding',
      'none',
    ],
  });
  expect(Object.keys(settings)).toHaveLength(Object.keys(defaultUserSettings).length + 2);
});

test('the documented defaults: enabled settings, disabled settings, and the others', () => {
  const off = [
    'enter_sends',
    'left_side_userlist',
    'fluid_layout_width',
    'high_contrast_mode',
    'translate_emoticons',
    'twenty_four_hour_time',
  ];
  const streams = ['desktop', 'email', 'push', 'audible'].map((kind) => `enable_stream_${kind}_notifications`);
  const booleans = Object.entries(defaultUserSettings).filter(([, value]) => typeof value === 'boolean');
  expect(booleans).toHaveLength(36);
  expect(
    booleans
      .filter(([, value]) => !value)
      .map(([name]) => name)
      .sort(),
  ).toEqual([...off, ...streams].sort());
  expect(defaultUserSettings).toMatchObject({
    color_scheme: 1,
    demote_inactive_streams: 1,
    web_mark_read_on_scroll_policy: 1,
    user_list_style: 2,
    web_stream_unreads_count_display_policy: 2,
    email_notifications_batching_period_seconds: 120,
    desktop_icon_count_display: 1,
    realm_name_in_email_notifications_policy: 1,
    automatically_follow_topics_policy: 3,
    automatically_unmute_topics_in_muted_streams_policy: 2,
    email_address_visibility: 1,
    default_language: 'en',
    timezone: '',
    web_home_view: 'inbox',
    emojiset: 'google',
    notification_sound: 'parley',
  });
});

test('changed settings are returned with the defaults of the others, from whichever table', async () => {
  const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
  const { db } = chat.database;
  await db.execute(sql`update users set timezone = 'Europe/Rome', email_address_visibility = 3 where id = ${ada.id}`);
  await db.execute(
    sql`insert into user_settings (realm_id, user_id, overrides) values (${chat.realm.id}, ${ada.id}, '{"enter_sends": true, "timezone": "Mars"}')`,
  );
  const changed = { ...defaultUserSettings, enter_sends: true, timezone: 'Europe/Rome', email_address_visibility: 3 };
  const of = (id: number) => chat.act((ctx) => findUserSettingsOf(ctx.db, { realm_id: ctx.realm.id, id }));
  expect(await of(ada.id)).toEqual(changed);
  expect(await of(ben.id)).toEqual(defaultUserSettings);
});
