import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { systemGroupIds } from '../user-groups/index.ts';
import { updateRealm } from './index.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const state = async () => (await chat.owner.api.registerQueue({ event_types: ['realm'] })) as Record<string, unknown>;
const id = expect.any(Number);
const update = (property: string, value: unknown) => ({ id, type: 'realm', op: 'update', property, value });
const dict = (data: object) => ({ id, type: 'realm', op: 'update_dict', property: 'default', data });

test('an organization starts with the documented settings', async () => {
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id));
  const policies = {
    create_public_stream: 1,
    create_private_stream: 1,
    invite_to_stream: 1,
    user_group_edit: 1,
    add_custom_emoji: 1,
  };
  expect(await state()).toMatchObject({
    ...Object.fromEntries(Object.entries(policies).map(([name, value]) => [`realm_${name}_policy`, value])),
    realm_name: 'Testing',
    realm_description: '',
    realm_allow_message_editing: true,
    realm_allow_edit_history: true,
    realm_message_content_edit_limit_seconds: 600,
    realm_message_content_delete_limit_seconds: 600,
    realm_move_messages_within_stream_limit_seconds: 604_800,
    realm_move_messages_between_streams_limit_seconds: 604_800,
    realm_edit_topic_policy: 5,
    realm_move_messages_between_streams_policy: 2,
    realm_delete_own_message_policy: 2,
    realm_create_web_public_stream_policy: 7,
    realm_invite_to_realm_policy: 1,
    realm_wildcard_mention_policy: 5,
    realm_waiting_period_threshold: 0,
    realm_message_retention_days: -1,
    realm_allowed_origins: [],
    realm_mandatory_topics: false,
    realm_enable_spectator_access: false,
    realm_enable_read_receipts: false,
    realm_name_changes_disabled: false,
    realm_email_changes_disabled: false,
    realm_avatar_changes_disabled: false,
    realm_enable_guest_user_indicator: true,
    realm_private_message_policy: 1,
    realm_bot_creation_policy: 1,
    realm_invite_required: true,
    realm_disallow_disposable_email_addresses: true,
    realm_emails_restricted_to_domains: false,
    realm_authentication_methods: expect.objectContaining({ Email: true, LDAP: false, GitHub: false }),
    realm_default_language: 'en',
    realm_digest_weekday: 1,
    realm_default_code_block_language: '',
    realm_notifications_stream_id: -1,
    realm_signup_notifications_stream_id: -1,
    realm_create_multiuse_invite_group: groups['role:administrators'],
    realm_can_access_all_users_group: groups['role:everyone'],
  });
});

test('a registration has the limits of the server, and the groups that settings can name', async () => {
  expect(await state()).toMatchObject({
    realm_uri: chat.realm.url,
    realm_icon_url: `/icon/${chat.realm.id}`,
    max_stream_name_length: 60,
    max_stream_description_length: 1024,
    max_topic_length: 60,
    max_message_length: 10_000,
    max_file_upload_size_mib: 25,
    max_avatar_file_size_mib: 5,
    server_typing_started_expiry_period_milliseconds: 45_000,
    server_typing_stopped_wait_period_milliseconds: 12_000,
    server_typing_started_wait_period_milliseconds: 30_000,
    server_presence_ping_interval_seconds: 60,
    server_presence_offline_threshold_seconds: 200,
    password_min_length: 6,
    password_min_guesses: 10_000,
    event_queue_longpoll_timeout_seconds: 90,
    server_supported_permission_settings: {
      realm: {
        create_multiuse_invite_group: { require_system_group: true, default_group_name: 'role:administrators' },
        can_access_all_users_group: { allowed_system_groups: ['role:everyone', 'role:members'] },
      },
      stream: { can_remove_subscribers_group: { require_system_group: true, allow_nobody_group: true } },
      group: { can_mention_group: { require_system_group: false, default_for_system_groups: 'role:nobody' } },
    },
  });
});

test('changed settings are in the response, emitted to all users, and in later registrations', async () => {
  ada = await chat.user('ada', { role: 'guest' });
  const params = {
    name: '  Kitchen  ',
    description: 'We *cook*.',
    mandatory_topics: true,
    digest_weekday: 5,
    default_language: 'de',
  };
  const changed = { ...params, name: 'Kitchen' };
  expect(await chat.owner.api.updateRealm(params)).toEqual(changed);
  expect(await ada.takeEvents('realm')).toEqual(
    Object.entries(changed).map(([property, value]) => update(property, value)),
  );
  expect(await state()).toMatchObject({
    realm_name: 'Kitchen',
    realm_description: 'We *cook*.',
    realm_default_language: 'de',
  });
});

// shows: 6.4
test('settings about editing, login and groups are emitted together in update_dict', async () => {
  ada = await chat.user('ada');
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id));
  const data = {
    allow_message_editing: false,
    edit_topic_policy: 3,
    message_content_edit_limit_seconds: 60,
    create_multiuse_invite_group: groups['role:nobody'],
    can_access_all_users_group: groups['role:members'],
  };
  expect(await chat.owner.api.updateRealm({ ...data, enable_read_receipts: true } as never)).toEqual({
    ...data,
    enable_read_receipts: true,
  });
  expect(await ada.takeEvents('realm')).toEqual([update('enable_read_receipts', true), dict(data)]);
  await chat.owner.api.updateRealm({ can_access_all_users_group: groups['role:everyone'] });
});

test('a limit of "unlimited" is returned as null, retention as -1; raw and JSON-quoted strings both work', async () => {
  ada = await chat.user('ada');
  const limits = {
    message_content_delete_limit_seconds: 'unlimited',
    // The client sends strings as they are, so this one is sent in quotes.
    move_messages_within_stream_limit_seconds: JSON.stringify('unlimited') as 'unlimited',
    message_retention_days: 30,
  } as const;
  const expected = {
    message_content_delete_limit_seconds: null,
    move_messages_within_stream_limit_seconds: null,
    message_retention_days: 30,
  };
  expect(await chat.owner.api.updateRealm(limits)).toEqual(expected);
  expect(await ada.takeEvents('realm')).toEqual(
    Object.entries(expected).map(([property, value]) => update(property, value)),
  );
  expect(await chat.owner.api.updateRealm({ message_retention_days: 'unlimited' })).toEqual({
    message_retention_days: -1,
  });
  expect(await state()).toMatchObject({
    realm_message_content_delete_limit_seconds: null,
    realm_message_retention_days: -1,
  });
  expect(await chat.owner.api.updateRealm({ message_content_edit_limit_seconds: 'unlimited' })).toEqual({
    message_content_edit_limit_seconds: null,
  });
  expect(await ada.takeEvents('realm')).toEqual([
    update('message_retention_days', -1),
    dict({ message_content_edit_limit_seconds: null }),
  ]);
});

test('an empty request, or one with the present values, succeeds, changes nothing and emits no event', async () => {
  ada = await chat.user('ada');
  expect(await chat.owner.api.updateRealm()).toEqual({});
  expect(
    await chat.owner.api.updateRealm({
      bot_creation_policy: 1,
      authentication_methods: { Email: true },
      message_retention_days: 'unlimited',
    }),
  ).toEqual({});
  expect(await ada.takeEvents('realm')).toEqual([]);
});

test('administrators set the origins of an organization, each stored once', async () => {
  const admin = await chat.user('ada', { role: 'admin' });
  const origins = ['https://app.example.com', 'http://localhost:5173'];
  const params = { allowed_origins: [...origins, 'https://app.example.com'] };
  expect(await admin.api.updateRealm(params)).toEqual({ allowed_origins: origins });
  expect(await admin.takeEvents('realm')).toEqual([update('allowed_origins', origins)]);
  expect(await state()).toMatchObject({ realm_allowed_origins: origins });
  expect(await admin.api.updateRealm(params)).toEqual({});
});

test('authentication methods are merged with those before', async () => {
  ada = await chat.user('ada');
  const { realm_authentication_methods: before } = await state();
  const merged = { ...(before as object), LDAP: true };
  expect(await chat.owner.api.updateRealm({ authentication_methods: { LDAP: true } })).toEqual({
    authentication_methods: merged,
  });
  expect(await ada.takeEvents('realm')).toEqual([dict({ authentication_methods: merged })]);
  await chat.owner.api.updateRealm({ authentication_methods: { LDAP: false } });
  expect((await state()).realm_authentication_methods).toEqual(before);
});

test('two concurrent requests that change different authentication methods both take effect', async () => {
  const switched = { GitHub: true, GitLab: true };
  await Promise.all(
    Object.keys(switched).map((name) => chat.owner.api.updateRealm({ authentication_methods: { [name]: true } })),
  );
  expect((await state()).realm_authentication_methods).toMatchObject(switched);
});

test('a change is recorded with its actor, and without one for the operator', async () => {
  const admin = await chat.user('ada', { role: 'admin' });
  await admin.api.updateRealm({ avatar_changes_disabled: true });
  await chat.act((ctx) => updateRealm(ctx, { name_changes_disabled: true, message_retention_days: 9 }));
  const log = await rows<{ actor_id: number | null; action: string; details: object }>(
    chat.database.db,
    sql`select actor_id, action, details from audit_log where realm_id = ${chat.realm.id} and action like 'realm settings%' order by id desc limit 2`,
  );
  expect(log).toEqual([
    {
      actor_id: null,
      action: 'realm settings changed',
      details: { name_changes_disabled: true, message_retention_days: 9 },
    },
    { actor_id: admin.id, action: 'realm settings changed', details: { avatar_changes_disabled: true } },
  ]);
});

test('settings of one organization do not affect those of another', async () => {
  const other = await chat.otherRealm('neighbours');
  await other.owner.api.updateRealm({ mandatory_topics: true, default_language: 'fr' });
  const theirs = await other.owner.api.registerQueue({ event_types: ['realm'] });
  expect(theirs).toMatchObject({ realm_default_language: 'fr', realm_name: 'Other neighbours' });
  expect((await state()).realm_default_language).not.toBe('fr');
});
