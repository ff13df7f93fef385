import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { deactivateRealm } from '../realm-admin/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, web_public_streams_enabled: true });
});
afterAll(() => chat.close());

const settingsOf = (realm = chat.realm) => chat.apiOf(realm).getServerSettings();

// shows: 4.21.1, 4.21.2, 4.21.3, 4.21.4, 4.21.5, 4.21.6, 4.21.7, 4.21.11, 4.21.12, 4.21.13, 9.2, 9.3
test('any client can fetch the name of the organization and the features of the server', async () => {
  const settings = await settingsOf();
  expect(settings).toEqual({
    authentication_methods: {
      password: true,
      dev: false,
      email: true,
      ldap: false,
      remoteuser: false,
      github: false,
      azuread: false,
      gitlab: false,
      apple: false,
      google: false,
      saml: false,
      'openid connect': false,
    },
    external_authentication_methods: [],
    service_feature_level: 237,
    service_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    service_merge_base: settings.service_version,
    push_notifications_enabled: false,
    is_incompatible: false,
    email_auth_enabled: true,
    require_email_format_usernames: true,
    realm_uri: chat.realm.url,
    realm_name: 'Testing',
    realm_icon: `/icon/${chat.realm.id}`,
    realm_description: '',
    realm_web_public_access_enabled: false,
  });
});

// shows: 4.21.1, 5.4
test('credentials are ignored, also invalid ones', async () => {
  const answer = await chat.fetch('/api/v1/server_settings', { headers: { Authorization: 'Bearer nonsense' } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ realm_name: 'Testing' });
});

// shows: 4.21.14
test('the description of the organization is rendered, and raw HTML in it is escaped', async () => {
  const { realm, owner } = await chat.otherRealm('described');
  await owner.api.updateRealm({ name: 'Kitchen & Sons', description: 'We **cook** <script>alert(1)</script>' });
  const { realm_name, realm_description } = await settingsOf(realm);
  expect(realm_name).toBe('Kitchen & Sons');
  expect(realm_description).toBe('<p>We <strong>cook</strong> &lt;script&gt;alert(1)&lt;/script&gt;</p>');
});

// shows: 4.21.2, 4.21.9, 4.21.10, 9.20
test('the authentication methods are those of the organization: password is email or directory', async () => {
  const { realm, owner } = await chat.otherRealm('methods');
  const switched = async (Email: boolean, LDAP: boolean) => {
    await owner.api.updateRealm({ authentication_methods: { Email, LDAP } });
    const { authentication_methods, email_auth_enabled, require_email_format_usernames } = await settingsOf(realm);
    const { password, email, ldap } = authentication_methods;
    return { password, email, ldap, email_auth_enabled, require_email_format_usernames };
  };
  const both = {
    password: true,
    email: true,
    ldap: true,
    email_auth_enabled: true,
    require_email_format_usernames: false,
  };
  expect(await switched(true, true)).toEqual(both);
  expect(await switched(false, true)).toEqual({ ...both, email: false, email_auth_enabled: false });
  expect(await switched(false, false)).toEqual({
    password: false,
    email: false,
    ldap: false,
    email_auth_enabled: false,
    require_email_format_usernames: true,
  });
});

// shows: 4.21.15
test('web-public access needs the setting of the organization', async () => {
  const { realm, owner } = await chat.otherRealm('open');
  await owner.api.updateRealm({ enable_spectator_access: true });
  expect(await settingsOf(realm)).toMatchObject({ realm_web_public_access_enabled: true });
});

// shows: 4.21.8
test('a client that is too old is reported as incompatible, by its User-Agent', async () => {
  const fetchSettings = async (agent: string) => {
    const answer = await chat.fetch('/api/v1/server_settings', { headers: { 'User-Agent': agent } });
    return ((await answer.json()) as { is_incompatible: boolean }).is_incompatible;
  };
  expect(await fetchSettings('ParleyInvalid/5.0')).toBe(true);
  expect(await fetchSettings('ParleyMobile/5.0')).toBe(false);
});

test('a deactivated organization is still described', async () => {
  const { realm } = await chat.otherRealm('gone');
  await chat.act(deactivateRealm, realm);
  expect(await settingsOf(realm)).toMatchObject({ realm_name: 'Other gone', realm_uri: realm.url });
});

// shows: 4.21.16
test('without an organization at the base domain, the server describes itself there, and only there', async () => {
  const several = await startChat({ ownDatabase: true });
  try {
    await several.database.db.execute("update realms set subdomain = 'acme'");
    const settings = await several.apiOf(several.realm).getServerSettings();
    expect(Object.keys(settings).filter((name) => name.startsWith('realm_'))).toEqual([]);
    expect(settings).toMatchObject({ service_feature_level: 237, email_auth_enabled: true, is_incompatible: false });
    expect(settings.authentication_methods).toMatchObject({ password: true, email: true });
    const acme = { ...several.realm, host: 'acme.localhost' };
    expect(await several.apiOf(acme).getServerSettings()).toMatchObject({ realm_name: 'Testing' });
    const nowhere = { ...several.realm, host: 'nowhere.localhost' };
    await expectError('NONEXISTENT_SUBDOMAIN', several.apiOf(nowhere).getServerSettings());
  } finally {
    await several.close();
  }
});
