// What libraries and terminal clients for this kind of API read in the response to a registration.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';
import { picture } from '../pictures.ts';
import { rawCalls } from './raw.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());

describe('the state of a registration', () => {
  const register = async (person: TestUser, ...types: string[]) => {
    const { post } = rawCalls(() => ({ chat, person }));
    const fetched = types.length > 0 ? `fetch_event_types=${JSON.stringify(types)}` : '';
    return (await post('/register', fetched)).body;
  };

  test('has what clients need to know of the server and the organization', async () => {
    const state = await register(ada, 'realm');
    expect(state).toMatchObject({
      realm_bot_domain: chat.realm.host,
      realm_email_auth_enabled: true,
      realm_password_auth_enabled: true,
      max_icon_file_size_mib: 5,
      server_generation: expect.any(Number),
      realm_default_external_accounts: {
        github: {
          name: 'GitHub username',
          text: 'GitHub',
          hint: expect.any(String),
          url_pattern: 'https://github.com/%(username)s',
        },
        twitter: expect.objectContaining({ url_pattern: 'https://twitter.com/%(username)s' }),
      },
    });
    for (const subtype of Object.keys(state.realm_default_external_accounts)) {
      const name = `Account ${subtype}`;
      await chat.owner.api.createProfileField({ name, field_type: 7, field_data: { subtype } });
    }
  });

  test('has the URL of the names of all Unicode emoji, which needs no login and changes with them', async () => {
    const { server_emoji_data_url } = await register(ada, 'realm');
    const response = await chat.fetch(server_emoji_data_url);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
    expect(response.headers.get('Cache-Control')).toContain('immutable');
    const { code_to_names } = await response.json();
    expect(code_to_names).toMatchObject({
      '1f419': expect.arrayContaining(['octopus']),
      '1f44d': expect.arrayContaining(['+1', 'thumbs_up']),
    });
    const [first] = Object.keys(code_to_names);
    await ada.api.addReaction({
      message_id: await chat.message({ from: ada, to: [ada] }),
      emoji_name: code_to_names[first ?? ''][0],
      emoji_code: first,
      reaction_type: 'unicode_emoji',
    });
    const ofOtherVersion = await chat.fetch('/emoji/data/0123456789abcdef.json');
    expect([ofOtherVersion.status, ofOtherVersion.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=0']);
    expect((await chat.fetch('/emoji/data/other.json')).status).toBe(404);
  });

  test('has the authentication methods', async () => {
    const { realm, owner } = await chat.otherRealm('ways');
    const mia = await chat.user('mia', { realm });
    const enabled = async (Email: boolean, LDAP: boolean) => {
      await owner.api.updateRealm({ authentication_methods: { Email, LDAP } });
      const { realm_email_auth_enabled, realm_password_auth_enabled } = await mia.api.registerQueue();
      return [realm_email_auth_enabled, realm_password_auth_enabled];
    };
    expect(await enabled(false, true)).toEqual([false, true]);
    expect(await enabled(false, false)).toEqual([false, false]);
    expect(await enabled(true, false)).toEqual([true, true]);
  });

  test("has the source of the user's own avatar", async () => {
    const [mia] = await chat.users('mia');
    const source = async () => (await register(mia, 'realm_user')).avatar_source;
    expect(await source()).toBe('G');
    await mia.api.uploadAvatar({ file: await picture() });
    expect(await source()).toBe('U');
    await mia.api.deleteAvatar();
    expect(await source()).toBe('G');
  });

  test('lists muted topics for clients that do not fetch user_topic', async () => {
    const [mia] = await chat.users('mia');
    const stream_id = await chat.stream('kitchen', { by: mia });
    await mia.api.updateUserTopic({ stream_id, topic: 'noise', visibility_policy: 1 });
    await mia.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 3 });
    const { user_topics } = await register(mia, 'user_topic');
    const state = await register(mia, 'muted_topics');
    expect(state.muted_topics).toEqual([['kitchen', 'noise', user_topics[0].last_updated]]);
    expect(state).not.toHaveProperty('user_topics');
    expect(await register(mia, 'muted_topics', 'user_topic')).not.toHaveProperty('muted_topics');
    expect(await register(mia)).not.toHaveProperty('muted_topics');
  });

  test('lists direct conversations, those with the newest messages first', async () => {
    const [mia, max, eva] = await chat.users('mia', 'max', 'eva');
    const recent = async (person: TestUser) =>
      (await register(person, 'recent_private_conversations')).recent_private_conversations;
    expect(await recent(mia)).toEqual([]);
    await chat.message({ from: mia, to: [max] });
    const group = await chat.message({ from: max, to: [eva, mia] });
    const own = await chat.message({ from: mia, to: [mia] });
    await chat.stream('pantry', { by: mia, members: [max] });
    await chat.message({ from: max, to: 'pantry' });
    const answered = await chat.message({ from: max, to: [mia] });
    expect(await recent(mia)).toEqual([
      { user_ids: [max.id], max_message_id: answered },
      { user_ids: [], max_message_id: own },
      { user_ids: [max.id, eva.id], max_message_id: group },
    ]);
    expect(await recent(eva)).toEqual([{ user_ids: [mia.id, max.id], max_message_id: group }]);
  });

  test('marks custom profile fields that are shown in short profiles, and events do', async () => {
    const { realm, owner } = await chat.otherRealm('summary');
    const mia = await chat.user('mia', { realm });
    const create = (name: string, field_type: 1 | 2 | 6, display_in_profile_summary?: boolean) =>
      owner.api.createProfileField({ name, field_type, display_in_profile_summary });
    const { id: team } = await create('Team', 1, true);
    const { id: room } = await create('Room', 1);
    const shown = async () => (await mia.api.registerQueue()).custom_profile_fields ?? [];
    const fieldOf = (id: number, name: string, order: number) => ({
      id,
      name,
      type: 1,
      hint: '',
      field_data: '',
      order,
    });
    expect(await shown()).toEqual([
      { ...fieldOf(team, 'Team', 1), display_in_profile_summary: true },
      fieldOf(room, 'Room', 2),
    ]);
    await owner.api.updateProfileField({ field_id: room, display_in_profile_summary: true });
    const [, , event] = await mia.takeEvents('custom_profile_fields');
    expect(event?.fields).toEqual(await shown());
    expect((await shown())[1]).toEqual({ ...fieldOf(room, 'Room', 2), display_in_profile_summary: true });
    await expectError('BAD_REQUEST', create('Floor', 1, true), /display_in_profile_summary: at most 2/);
    await owner.api.updateProfileField({ field_id: team, display_in_profile_summary: false });
    expect((await shown())[0]).toEqual(fieldOf(team, 'Team', 1));
    for (const type of [2, 6] as const) {
      await expectError('BAD_REQUEST', create('Floor', type, true), /display_in_profile_summary: a field of this type/);
    }
    await create('Floor', 1, true);
  });
});
