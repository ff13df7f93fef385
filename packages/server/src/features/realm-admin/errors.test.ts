import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { systemGroupIds } from '../user-groups/index.ts';
import { deactivateRealm, reactivateRealm } from './index.ts';

let chat: Chat;
let admin: TestUser;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

type RealmUpdate = NonNullable<Parameters<Chat['owner']['api']['updateRealm']>[0]>;
const state = () => chat.owner.api.registerQueue({ event_types: ['realm'] });
const unchanged = async (work: () => Promise<unknown>) => {
  const { queue_id: _, ...before } = await state();
  await work();
  const { queue_id: __, ...after } = await state();
  expect(after).toEqual(before);
};

test('only administrators can change the organization, and this is checked before the parameters', async () => {
  for (const role of ['moderator', 'member', 'guest'] as const) {
    const person = await chat.user('ben', { role });
    await unchanged(async () => {
      await expectError(
        'UNAUTHORIZED_PRINCIPAL',
        person.api.updateRealm({ mandatory_topics: 'perhaps' as never }),
        /administrator/,
      );
      await expectError('UNAUTHORIZED_PRINCIPAL', person.api.updateRealm(), /administrator/);
    });
  }
});

const ownersOnly: RealmUpdate[] = [
  { invite_to_realm_policy: 2 },
  { waiting_period_threshold: 1 },
  { message_retention_days: 1 },
  { invite_required: false },
  { disallow_disposable_email_addresses: false },
  { emails_restricted_to_domains: true },
  { authentication_methods: { Email: false } },
  { create_multiuse_invite_group: 1 },
  { can_access_all_users_group: 1 },
];

test.each(ownersOnly)('only owners can set %j, and for others the whole request changes nothing', async (params) => {
  admin = await chat.user('ada', { role: 'admin' });
  await unchanged(() =>
    expectError('UNAUTHORIZED_PRINCIPAL', admin.api.updateRealm({ ...params, mandatory_topics: true }), /owner/),
  );
  expect(await admin.takeEvents('realm')).toEqual([]);
});

const invalid: [string, RealmUpdate][] = [
  ['name', { name: '   ' }],
  ['name', { name: 'x'.repeat(41) }],
  ['name', { name: 'Kit\u0007chen' }],
  ['description', { description: 'x'.repeat(1001) }],
  ['default_language', { default_language: 'tlh' }],
  ['default_code_block_language', { default_code_block_language: 'x'.repeat(41) }],
  ['notifications_stream_id', { notifications_stream_id: 9_007_199_254_740_991 }],
  ['signup_notifications_stream_id', { signup_notifications_stream_id: 0 }],
  ['notifications_stream_id', { notifications_stream_id: -2 }],
  ['authentication_methods', { authentication_methods: { Email: true, Telepathy: true } }],
  ...[
    'https://app.example.com/',
    'app.example.com',
    '*',
    'null',
    'ftp://app.example.com',
    'https://App.example.com',
  ].map((origin): [string, RealmUpdate] => [
    'allowed_origins',
    { allowed_origins: ['https://app.example.com', origin] },
  ]),
  ['allowed_origins', { allowed_origins: [`https://${'a.'.repeat(122)}example.com`] }],
  ['allowed_origins', { allowed_origins: Array.from({ length: 21 }, (_, n) => `https://app${n}.example.com`) }],
  ['allowed_origins', { allowed_origins: 'https://app.example.com' as never }],
  ['create_multiuse_invite_group', { create_multiuse_invite_group: 9_007_199_254_740_991 }],
  ['edit_topic_policy', { edit_topic_policy: 7 as never }],
  ['move_messages_between_streams_policy', { move_messages_between_streams_policy: 5 as never }],
  ['delete_own_message_policy', { delete_own_message_policy: 6 as never }],
  ['create_web_public_stream_policy', { create_web_public_stream_policy: 1 as never }],
  ['wildcard_mention_policy', { wildcard_mention_policy: 4 as never }],
  ['private_message_policy', { private_message_policy: 3 as never }],
  ['digest_weekday', { digest_weekday: 7 }],
  ['waiting_period_threshold', { waiting_period_threshold: -1 }],
  ['mandatory_topics', { mandatory_topics: 'True' as never }],
];

test.each(invalid)('an invalid %s fails the whole request with an error that names it: %j', async (name, params) => {
  await unchanged(() =>
    expectError('BAD_REQUEST', chat.owner.api.updateRealm({ enable_read_receipts: true, ...params }), new RegExp(name)),
  );
});

const limits = [
  'message_content_edit_limit_seconds',
  'message_content_delete_limit_seconds',
  'move_messages_within_stream_limit_seconds',
  'move_messages_between_streams_limit_seconds',
  'message_retention_days',
] as const;

test.each(limits)('%s is a positive number or "unlimited"; zero and less fail', async (name) => {
  for (const value of [0, -1, 'forever', 'UNLIMITED']) {
    const errorResponse = await expectError(
      'REQUEST_VARIABLE_INVALID',
      chat.owner.api.updateRealm({ [name]: value }),
      new RegExp(name),
    );
    expect(errorResponse).toMatchObject({ var_name: name, bad_value: value });
  }
});

test('names of 40 and descriptions of 1000 characters are valid, counted as code points', async () => {
  const { realm, owner } = await chat.otherRealm('long');
  expect(realm.settings.name).toBe('Other long');
  await owner.api.updateRealm({ name: '🍲'.repeat(40), description: '🍲'.repeat(1000) });
  await expectError('BAD_REQUEST', owner.api.updateRealm({ name: '🍲'.repeat(41) }), /name/);
});

test('announcements go to an existing stream, which can be private; an archived or foreign one is unknown', async () => {
  const ada = await chat.user('ada');
  const open = await chat.stream('news', { by: ada });
  expect(await chat.owner.api.updateRealm({ notifications_stream_id: open })).toEqual({
    notifications_stream_id: open,
  });
  const other = await chat.otherRealm('abroad');
  await expectError(
    'BAD_REQUEST',
    other.owner.api.updateRealm({ notifications_stream_id: open }),
    /notifications_stream_id/,
  );
  expect(await chat.owner.api.updateRealm({ notifications_stream_id: -1 })).toEqual({ notifications_stream_id: -1 });
});

test('can_access_all_users_group is everyone or members, and no other group', async () => {
  const groups = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id));
  for (const name of ['role:moderators', 'role:nobody', 'role:internet', 'role:owners'] as const) {
    await expectError(
      'BAD_REQUEST',
      chat.owner.api.updateRealm({ can_access_all_users_group: groups[name] }),
      /can_access_all_users_group/,
    );
  }
});

test('a deactivated organization rejects every key with its own code; after reactivation, everything is as it was', async () => {
  const { realm, owner } = await chat.otherRealm('closing');
  const ben = await chat.user('ben', { realm, mirrored: false });
  const { queue_id, last_event_id } = await ben.api.registerQueue();
  await chat.act(deactivateRealm, realm);
  await expectError('REALM_DEACTIVATED', ben.api.getOwnUser());
  await expectError('REALM_DEACTIVATED', owner.api.updateRealm({ name: 'Open' }));
  await chat.act(deactivateRealm, realm);
  await chat.act(reactivateRealm, realm);
  expect(await ben.api.getOwnUser()).toMatchObject({ user_id: ben.id });
  const { events } = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
  expect(events).toEqual([{ id: expect.any(Number), type: 'realm', op: 'deactivated', realm_id: realm.id }]);
});

test('an invalid key of a deactivated organization fails as an invalid key', async () => {
  const { realm, owner } = await chat.otherRealm('closed');
  await chat.act(deactivateRealm, realm);
  await expectError('INVALID_API_KEY', chat.apiOf(realm, { email: owner.email, apiKey: 'x'.repeat(32) }).getOwnUser());
});
