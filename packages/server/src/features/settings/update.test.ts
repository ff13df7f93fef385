import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import { defaultUserSettings } from '../user-settings/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

type SettingsParams = NonNullable<Parameters<TestUser['api']['updateSettings']>[0]>;
const toExpectedEvent = (property: string, value: unknown) => ({
  id: expect.any(Number),
  type: 'user_settings',
  op: 'update',
  property,
  value,
});
const settingsOf = async ({ api }: TestUser) =>
  (await api.registerQueue({ fetch_event_types: ['user_settings'] })).user_settings;
const newsOf = (people: readonly TestUser[]) => Promise.all(people.map((person) => person.takeEvents()));

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
    await newsOf([ada, ben]);
    await ada.api.updateSettings({ [name]: value });
    const event =
      name === 'default_language'
        ? { ...toExpectedEvent(name, value), language_name: 'Deutsch' }
        : toExpectedEvent(name, value);
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

// shows: 4.13.1
test('an empty request, or one with the present values, succeeds without an event', async () => {
  const [ada] = await chat.users('ada');
  await ada.takeEvents();
  expect(await ada.api.updateSettings()).toEqual({});
  expect(await ada.api.updateSettings({ enter_sends: false, timezone: '' })).toEqual({});
  expect(await ada.takeEvents()).toEqual([]);
});

// shows: 4.13.53
test('parameters that are no setting are reported as ignored, and the settings beside them change', async () => {
  const [ada] = await chat.users('ada');
  const answer = await ada.api.updateSettings({ enter_sends: true, colour: 'red', avatar: 'x' } as never);
  expect(answer).toEqual({ ignored_parameters_unsupported: ['avatar', 'colour'] });
  expect(await settingsOf(ada)).toMatchObject({ enter_sends: true });
});

// shows: 4.13.54, 9.22
test('the two aliases of the operation do the same', async () => {
  const [ada] = await chat.users('ada');
  await ada.takeEvents();
  await ada.api.updateDisplaySettings({ enable_sounds: false });
  await ada.api.updateNotificationSettings({ color_scheme: 3 });
  expect(await ada.takeEvents()).toEqual([toExpectedEvent('enable_sounds', false), toExpectedEvent('color_scheme', 3)]);
});

test('bots have no settings', async () => {
  const ada = await chat.user('ada');
  const bot = await chat.user('bot', { bot_of: ada });
  await expectError('BAD_REQUEST', bot.api.updateSettings({ enter_sends: true }), /[Bb]ot/);
  await expectError('BAD_REQUEST', bot.api.updateSettings(), /[Bb]ot/);
});

test('guests have settings like other users', async () => {
  const gus = await chat.user('gus', { role: 'guest' });
  await gus.api.updateSettings({ enter_sends: true });
  expect(await settingsOf(gus)).toMatchObject({ enter_sends: true });
});

describe('two concurrent requests', () => {
  test('that change different settings are both kept', async () => {
    const [ada] = await chat.users('ada');
    const wanted: SettingsParams[] = [
      { enter_sends: true },
      { color_scheme: 2 },
      { timezone: 'UTC' },
      { full_name: 'Ada Byron' },
    ];
    await runInLockOrder(
      chat,
      wanted.map((one) => () => ada.api.updateSettings(one)),
    );
    expect(await settingsOf(ada)).toMatchObject({ enter_sends: true, color_scheme: 2, timezone: 'UTC' });
    expect((await ada.api.getOwnUser()).full_name).toBe('Ada Byron');
  });

  test('that change the same setting emit their events in the order of the commits', async () => {
    const [ada] = await chat.users('ada');
    await ada.takeEvents();
    const schemes = [2, 3, 2] as const;
    await runInLockOrder(
      chat,
      schemes.map((color_scheme) => () => ada.api.updateSettings({ color_scheme })),
    );
    const last = (await ada.takeEvents('user_settings')).at(-1);
    expect((await settingsOf(ada))?.color_scheme).toBe(last?.value);
  });
});
