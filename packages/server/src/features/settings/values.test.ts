// Each setting changes, to each value that it can have.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { discardEvents } from '../../../test/rooms.ts';
import { settingsOf, toSettingsEvent } from '../../../test/settings.ts';
import { defaultUserSettings } from '../user-settings/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

type SettingsParams = NonNullable<Parameters<TestUser['api']['updateSettings']>[0]>;

/** For each setting a value that is not the default. */
const others: Required<Omit<SettingsParams, 'full_name' | 'old_password' | 'new_password' | 'email'>> = {
  ...(Object.fromEntries(
    Object.entries(defaultUserSettings).map(([name, value]) => [name, typeof value === 'boolean' ? !value : value]),
  ) as typeof defaultUserSettings),
  web_mark_read_on_scroll_policy: 3,
  color_scheme: 2,
  web_home_view: 'recent_topics',
  emojiset: 'google-blob',
  demote_inactive_streams: 2,
  user_list_style: 1,
  web_stream_unreads_count_display_policy: 3,
  notification_sound: 'ding',
  email_notifications_batching_period_seconds: 604_800,
  desktop_icon_count_display: 4,
  realm_name_in_email_notifications_policy: 3,
  automatically_follow_topics_policy: 4,
  automatically_unmute_topics_in_muted_streams_policy: 1,
  default_language: 'de',
  timezone: 'Europe/Copenhagen',
  email_address_visibility: 2,
};

describe('every setting', () => {
  // shows: 4.13.7 [dense_mode], 4.13.8 [twenty_four_hour_time], 4.13.9 [starred_message_counts]
  // shows: 4.13.10 [fluid_layout_width], 4.13.11 [high_contrast_mode], 4.13.12 [translate_emoticons]
  // shows: 4.13.13 [display_emoji_reaction_users], 4.13.14 [web_escape_navigates_to_home_view]
  // shows: 4.13.15 [left_side_userlist], 4.13.16 [web_mark_read_on_scroll_policy], 4.13.17 [color_scheme]
  // shows: 4.13.18 [enable_drafts_synchronization], 4.13.19 [web_home_view], 4.13.20 [emojiset]
  // shows: 4.13.21 [demote_inactive_streams], 4.13.22 [user_list_style]
  // shows: 4.13.23 [web_stream_unreads_count_display_policy], 4.13.24 [enable_stream_desktop_notifications]
  // shows: 4.13.25 [enable_stream_email_notifications], 4.13.26 [enable_stream_push_notifications]
  // shows: 4.13.27 [enable_stream_audible_notifications], 4.13.28 [notification_sound]
  // shows: 4.13.29 [enable_desktop_notifications], 4.13.30 [enable_sounds]
  // shows: 4.13.31 [email_notifications_batching_period_seconds], 4.13.32 [enable_offline_email_notifications]
  // shows: 4.13.33 [enable_offline_push_notifications], 4.13.34 [enable_online_push_notifications]
  // shows: 4.13.35 [enable_followed_topic_desktop_notifications], 4.13.36 [enable_followed_topic_email_notifications]
  // shows: 4.13.37 [enable_followed_topic_push_notifications], 4.13.38 [enable_followed_topic_audible_notifications]
  // shows: 4.13.39 [enable_digest_emails], 4.13.40 [enable_marketing_emails], 4.13.41 [enable_login_emails]
  // shows: 4.13.42 [message_content_in_email_notifications], 4.13.43 [pm_content_in_desktop_notifications]
  // shows: 4.13.44 [wildcard_mentions_notify], 4.13.45 [enable_followed_topic_wildcard_mentions_notify]
  // shows: 4.13.46 [desktop_icon_count_display], 4.13.47 [realm_name_in_email_notifications_policy]
  // shows: 4.13.48 [automatically_follow_topics_policy], 4.13.49 [automatically_unmute_topics_in_muted_streams_policy]
  // shows: 4.13.50 [automatically_follow_topics_where_mentioned], 4.13.51 [presence_enabled], 4.13.52 [enter_sends]
  test.each(Object.entries(others))('%s changes, is emitted once, and stays', async (name, value) => {
    const [ada, ben] = await chat.users('ada', 'ben');
    await discardEvents(ada, ben);
    await ada.api.updateSettings({ [name]: value });
    const event =
      name === 'default_language'
        ? { ...toSettingsEvent(name, value), language_name: 'Deutsch' }
        : toSettingsEvent(name, value);
    expect(await ada.takeEvents('user_settings')).toEqual([event]);
    expect(await ben.takeEvents('user_settings')).toEqual([]);
    expect(await settingsOf(ada)).toMatchObject({ ...defaultUserSettings, [name]: value });
    await ada.takeEvents();
    await ada.api.updateSettings({ [name]: value });
    expect(await ada.takeEvents()).toEqual([]);
  });

  test('all change in one request, with an event for each', async () => {
    const [ada] = await chat.users('ada');
    await ada.takeEvents();
    await ada.api.updateSettings(others);
    const events = await ada.takeEvents('user_settings');
    expect(Object.fromEntries(events.map(({ property, value }) => [property, value]))).toEqual(others);
    expect(events).toHaveLength(Object.keys(others).length);
  });
});

test('the number of statements does not depend on the number of settings in the request', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  // Disabling synchronization deletes drafts; the other three are emitted to other users.
  const {
    timezone: _,
    email_address_visibility: __,
    presence_enabled: ___,
    enable_drafts_synchronization: ____,
    ...plain
  } = others;
  const one = await chat.statements(() => ada.api.updateSettings({ enter_sends: true }));
  expect(await chat.statements(() => ben.api.updateSettings(plain))).toBe(one);
});

describe('the values of a setting', () => {
  // shows: 4.13.16, 4.13.17, 4.13.19, 4.13.20, 4.13.21, 4.13.22, 4.13.23, 4.13.46, 4.13.47, 4.13.48, 4.13.49
  test.each([
    ['web_mark_read_on_scroll_policy', [1, 2, 3], [0, 4]],
    ['color_scheme', [1, 2, 3], [0, 4]],
    ['web_home_view', ['recent_topics', 'inbox', 'all_messages'], ['outbox', '']],
    ['emojiset', ['google', 'google-blob', 'twitter', 'text'], ['apple', '']],
    ['demote_inactive_streams', [1, 2, 3], [0, 4]],
    ['user_list_style', [1, 2, 3], [0, 4]],
    ['web_stream_unreads_count_display_policy', [1, 2, 3], [0, 4]],
    ['desktop_icon_count_display', [1, 2, 3, 4], [0, 5]],
    ['realm_name_in_email_notifications_policy', [1, 2, 3], [0, 4]],
    ['automatically_follow_topics_policy', [1, 2, 3, 4], [0, 5]],
    ['automatically_unmute_topics_in_muted_streams_policy', [1, 2, 3, 4], [0, 5]],
  ] as [string, unknown[], unknown[]][])('%s can be %j, and not %j', async (name, values, others) => {
    const [ada] = await chat.users('ada');
    for (const value of values) {
      await ada.api.updateSettings({ [name]: value });
      expect(await settingsOf(ada)).toMatchObject({ [name]: value });
    }
    for (const value of others)
      await expectError('BAD_REQUEST', ada.api.updateSettings({ [name]: value } as never), new RegExp(name));
    expect(await settingsOf(ada)).toMatchObject({ [name]: values.at(-1) });
  });

  // shows: 4.13.7 [dense_mode], 4.13.8 [twenty_four_hour_time], 4.13.9 [starred_message_counts]
  // shows: 4.13.10 [fluid_layout_width], 4.13.11 [high_contrast_mode], 4.13.12 [translate_emoticons]
  // shows: 4.13.13 [display_emoji_reaction_users], 4.13.14 [web_escape_navigates_to_home_view]
  // shows: 4.13.15 [left_side_userlist], 4.13.18 [enable_drafts_synchronization]
  // shows: 4.13.24 [enable_stream_desktop_notifications], 4.13.25 [enable_stream_email_notifications]
  // shows: 4.13.26 [enable_stream_push_notifications], 4.13.27 [enable_stream_audible_notifications]
  // shows: 4.13.29 [enable_desktop_notifications], 4.13.30 [enable_sounds]
  // shows: 4.13.32 [enable_offline_email_notifications], 4.13.33 [enable_offline_push_notifications]
  // shows: 4.13.34 [enable_online_push_notifications], 4.13.35 [enable_followed_topic_desktop_notifications]
  // shows: 4.13.36 [enable_followed_topic_email_notifications], 4.13.37 [enable_followed_topic_push_notifications]
  // shows: 4.13.38 [enable_followed_topic_audible_notifications], 4.13.39 [enable_digest_emails]
  // shows: 4.13.40 [enable_marketing_emails], 4.13.41 [enable_login_emails]
  // shows: 4.13.42 [message_content_in_email_notifications], 4.13.43 [pm_content_in_desktop_notifications]
  // shows: 4.13.44 [wildcard_mentions_notify], 4.13.45 [enable_followed_topic_wildcard_mentions_notify]
  // shows: 4.13.50 [automatically_follow_topics_where_mentioned], 4.13.51 [presence_enabled], 4.13.52 [enter_sends]
  test.each([
    'twenty_four_hour_time',
    'dense_mode',
    'starred_message_counts',
    'fluid_layout_width',
    'high_contrast_mode',
    'enable_drafts_synchronization',
    'translate_emoticons',
    'display_emoji_reaction_users',
    'web_escape_navigates_to_home_view',
    'left_side_userlist',
    'enable_stream_desktop_notifications',
    'enable_stream_email_notifications',
    'enable_stream_push_notifications',
    'enable_stream_audible_notifications',
    'enable_desktop_notifications',
    'enable_sounds',
    'enable_offline_email_notifications',
    'enable_offline_push_notifications',
    'enable_online_push_notifications',
    'enable_followed_topic_desktop_notifications',
    'enable_followed_topic_email_notifications',
    'enable_followed_topic_push_notifications',
    'enable_followed_topic_audible_notifications',
    'enable_digest_emails',
    'enable_marketing_emails',
    'enable_login_emails',
    'message_content_in_email_notifications',
    'pm_content_in_desktop_notifications',
    'wildcard_mentions_notify',
    'enable_followed_topic_wildcard_mentions_notify',
    'automatically_follow_topics_where_mentioned',
    'presence_enabled',
    'enter_sends',
  ])('%s must be a boolean', async (name) => {
    const [ada] = await chat.users('ada');
    for (const value of [false, true]) {
      await ada.api.updateSettings({ [name]: value });
      expect(await settingsOf(ada)).toMatchObject({ [name]: value });
    }
    for (const value of ['yes', 1])
      await expectError('BAD_REQUEST', ada.api.updateSettings({ [name]: value } as never), new RegExp(name));
    expect(await settingsOf(ada)).toMatchObject({ [name]: true });
  });
});

describe('an invalid value fails with an error that names it, and the rest of the request is not done', () => {
  // shows: 4.13.5 [default_language] [klingon], 4.13.6 [timezone] [Mars/Olympus]
  // shows: 4.13.28 [notification_sound] [trumpet], 4.13.31 [email_notifications_batching_period_seconds] [0]
  test.each([
    ['default_language', 'klingon'],
    ['default_language', 'DE'],
    ['default_language', ''],
    ['timezone', 'Mars/Olympus'],
    ['timezone', 'europe/copenhagen'],
    ['timezone', '+01:00'],
    ['timezone', 'constructor'],
    ['web_home_view', 'outbox'],
    ['emojiset', '"google"'],
    ['notification_sound', 'trumpet'],
    ['color_scheme', 4],
    ['color_scheme', 0],
    ['desktop_icon_count_display', 5],
    ['email_address_visibility', 6],
    ['email_notifications_batching_period_seconds', 0],
    ['email_notifications_batching_period_seconds', 604_801],
    ['enter_sends', 'yes'],
    ['enter_sends', 1],
    ['full_name', 'A'],
    ['full_name', 'Ada *'],
    ['full_name', '  '],
    ['full_name', 'Ada|7'],
    ['full_name', 'x'.repeat(101)],
  ])('%s: %s', async (name, value) => {
    const [ada] = await chat.users('ada');
    await ada.takeEvents();
    const call = ada.api.updateSettings({ left_side_userlist: true, [name]: value } as never);
    await expectError('BAD_REQUEST', call, new RegExp(name));
    expect(await ada.takeEvents()).toEqual([]);
    expect(await settingsOf(ada)).toMatchObject({ left_side_userlist: false });
  });
});

// shows: 4.13.6
test.each(['Asia/Kolkata', 'Asia/Calcutta', 'US/Pacific', 'UTC', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires'])(
  'a time zone can be %s',
  async (timezone) => {
    const [ada] = await chat.users('ada');
    await ada.api.updateSettings({ timezone });
    expect((await ada.api.getOwnUser()).timezone).toBe(timezone);
  },
);

// shows: 4.13.5
test.each(['en', 'de', 'es', 'fr', 'it', 'ja', 'ko', 'pt', 'ru', 'zh-hans'])(
  'the language can be %s, and the event has its own name',
  async (default_language) => {
    const ada = await chat.user('ada');
    await ada.api.updateSettings({ default_language: 'fi' });
    await ada.takeEvents();
    await ada.api.updateSettings({ default_language });
    expect(await ada.takeEvents()).toMatchObject(
      [{ property: 'default_language', language_name: /./ }].map(() => ({
        property: 'default_language',
        value: default_language,
        language_name: expect.stringMatching(/./),
      })),
    );
  },
);
