import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, PASSWORD, startChat } from '../../../test/chat.ts';
import {
  closeServers,
  createDirectoryIdentity,
  createDirectoryRealm,
  fetchKey,
  listenAt,
} from '../../../test/fixtures/directory.ts';
import { createMember } from '../../../test/fixtures/members.ts';
import { BASE, hasSlapd, SERVICE, type Slapd, startSlapd } from '../../../test/slapd.ts';
import { readConfig } from '../../config/index.ts';
import type { Realm } from '../../core/context.ts';
import { createLimits, type Limits } from '../../http/limits/index.ts';
import { createUser, deactivateUser } from '../user-admin/index.ts';

let limits: Limits;
beforeAll(() => {
  limits = createLimits(readConfig({}).rate_rules);
});
afterAll(() => {
  limits.close();
  closeServers();
});

describe.runIf(hasSlapd)('a directory (needs slapd)', () => {
  let slapd: Slapd;
  let chat: Chat;
  /** An organization for names that do not exist. */
  let guessing: Realm;
  const visits: string[] = [];
  beforeAll(async () => {
    const elsewhere = await listenAt(() => void visits.push('came'));
    const users = [
      { uid: 'ada', mail: 'Ada@Directory.example', cn: 'Ada Lovelace', password: 'ada says so' },
      { uid: 'ben', mail: 'ben@directory.example', cn: 'Ben *Admin* @all|5', password: 'ben says so' },
      { uid: 'cat', mail: 'cat@directory.example', password: 'cat says so' },
      { uid: 'twin', mail: 'twin1@directory.example', password: 'twin says so' },
      { uid: 'other', mail: 'twin', password: 'twin says so' },
      { uid: 'mute', password: 'mute says so' },
      { uid: 'wild*card', mail: 'wild@directory.example', password: 'wild says so' },
      { uid: 'bot', mail: 'bot@directory.example', password: 'bot says so' },
    ];
    slapd = await startSlapd({ users, elsewhere: `${elsewhere}/${BASE}` });
    const service = { bind_dn: SERVICE.dn, bind_password: SERVICE.password };
    chat = await startChat({
      ownDatabase: true,
      limits,
      identity: await createDirectoryIdentity({ url: slapd.url, ...service }),
    });
    guessing = (await createDirectoryRealm(chat, { invite_required: false })).realm;
  });
  afterAll(async () => {
    await chat.close();
    await slapd.stop();
  });

  // shows: 4.12.3
  test('its users log in by their name or address, to the account with this address', async () => {
    const { realm } = await createDirectoryRealm(chat);
    const ada = await createMember(chat, realm, 'ada@directory.example');
    const key = { api_key: ada.apiKey, email: 'ada@directory.example', user_id: ada.id };
    expect(await fetchKey(chat, realm, 'ada', 'ada says so')).toEqual(key);
    expect(await fetchKey(chat, realm, ' ADA ', 'ada says so')).toEqual(key);
    expect(await fetchKey(chat, realm, 'ada@directory.example', 'ada says so')).toEqual(key);
    const { require_email_format_usernames: format, authentication_methods } = await chat
      .apiOf(realm)
      .getServerSettings();
    expect([format, authentication_methods.ldap, authentication_methods.password]).toEqual([false, true, true]);
  });

  test('a wrong password, an empty one and an unknown name fail with the same response', async () => {
    const { realm } = await createDirectoryRealm(chat);
    await createMember(chat, realm, 'ada@directory.example');
    const wrong = await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'ada', 'not hers'));
    expect(await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'ada', ''))).toEqual(wrong);
    expect(await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'nobody', 'ada says so'))).toEqual(wrong);
  });

  test('a user without an account gets one where users can join by themselves, with a name that can be mentioned', async () => {
    const { realm, owner } = await createDirectoryRealm(chat, { invite_required: false });
    const { user_id, email } = await fetchKey(chat, realm, 'ada', 'ada says so');
    expect(email).toBe('Ada@Directory.example');
    expect(await owner.api.getUser({ user_id })).toMatchObject({ user: { full_name: 'Ada Lovelace', role: 400 } });
    expect((await fetchKey(chat, realm, 'ada@directory.example', 'ada says so')).user_id).toBe(user_id);
    const ben = await fetchKey(chat, realm, 'ben', 'ben says so');
    const { user } = await owner.api.getUser({ user_id: ben.user_id });
    expect(user.full_name).toBe('ben');
  });

  test('two concurrent requests create one account', async () => {
    const { realm } = await createDirectoryRealm(chat, { invite_required: false });
    const twice = ['cat', 'cat@directory.example'].map((name) => fetchKey(chat, realm, name, 'cat says so'));
    const [one, other] = await Promise.all(twice);
    expect(one).toEqual(other);
  });

  test('the error says that there is no account, where an invitation is required or the address is not allowed', async () => {
    const invited = await createDirectoryRealm(chat);
    const said = await expectError('AUTHENTICATION_FAILED', fetchKey(chat, invited.realm, 'ada', 'ada says so'));
    expect(said.msg).toMatch(/no account.*invitation/);
    const closed = await createDirectoryRealm(chat, { invite_required: false, emails_restricted_to_domains: true });
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, closed.realm, 'ada', 'ada says so'), /addresses/);
    // A wrong password does not reveal whether there is an account.
    const guess = await expectError('AUTHENTICATION_FAILED', fetchKey(chat, invited.realm, 'ada', 'a guess'));
    expect(guess.msg).not.toMatch(/account/);
  });

  test('a deactivated account cannot log in, by name or by address', async () => {
    const { realm } = await createDirectoryRealm(chat);
    const ada = await createMember(chat, realm, 'ada@directory.example');
    await chat.act((ctx) => deactivateUser(ctx, ada.id), realm);
    await expectError('USER_DEACTIVATED', fetchKey(chat, realm, 'ada', 'ada says so'));
    await expectError('USER_DEACTIVATED', fetchKey(chat, realm, 'ada@directory.example', 'whatever'));
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'ada', 'a guess'));
  });

  test('no login is possible to the account of a bot', async () => {
    const { realm, owner } = await createDirectoryRealm(chat);
    const newUser = {
      email: 'bot@directory.example',
      full_name: 'A Bot',
      role: 400,
      bot: { type: 1, owner_id: owner.id },
    };
    await chat.act((ctx) => createUser(ctx, newUser), realm);
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'bot', 'bot says so'));
  });

  test.each(['*', 'a*', '*)(uid=*', 'ada)(|(uid=*', 'ada\\', '(uid=ada)', '\0', 'ada)(cn=Ada*'])(
    'a user name is escaped in the filter: %j',
    async (name) => {
      const outcome = await fetchKey(chat, guessing, name, 'ada says so').catch((error) => error);
      expect(['AUTHENTICATION_FAILED', 'BAD_REQUEST']).toContain(outcome.code);
    },
  );

  test('a name with an asterisk is found by its exact name', async () => {
    const { realm } = await createDirectoryRealm(chat, { invite_required: false });
    expect(await fetchKey(chat, realm, 'wild*card', 'wild says so')).toMatchObject({ email: 'wild@directory.example' });
  });

  test('a name of two users fails, and so does that of a user without an address', async () => {
    const { realm } = await createDirectoryRealm(chat, { invite_required: false });
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'twin', 'twin says so'));
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'mute', 'mute says so'));
  });

  test('the server does not follow referrals', async () => {
    const { realm } = await createDirectoryRealm(chat);
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'somebody', 'a password'));
    expect(visits).toEqual([]);
  });

  test('attempts are counted by account, however the name is written', async () => {
    const { realm } = await createDirectoryRealm(chat);
    await createMember(chat, realm, 'cat@directory.example');
    // The directory finds `cat` by all of these: it folds full-width letters.
    for (const name of ['cat', 'ｃat', 'cａt', 'caｔ', 'cat@directory.example'])
      await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, name, 'a guess'));
    await expectError('RATE_LIMIT_HIT', fetchKey(chat, realm, 'ｃａｔ', 'cat says so'));
    await expectError('RATE_LIMIT_HIT', fetchKey(chat, realm, 'CAT', 'cat says so'));
  });

  test('an account with a password can log in with it, and with that of the directory', async () => {
    const { realm, owner } = await createDirectoryRealm(chat);
    const ben = await createMember(chat, realm, 'ben@directory.example', PASSWORD);
    const ids = [];
    for (const password of [PASSWORD, 'ben says so'])
      ids.push((await fetchKey(chat, realm, ben.email, password)).user_id);
    expect(ids).toEqual([ben.id, ben.id]);
    await owner.api.updateRealm({ authentication_methods: { Email: false } });
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, ben.email, PASSWORD));
    expect((await fetchKey(chat, realm, ben.email, 'ben says so')).user_id).toBe(ben.id);
  });

  test('the server sends the directory no request for an organization that has not enabled it', async () => {
    const { realm } = await chat.otherRealm('passwords');
    await createMember(chat, realm, 'ada@directory.example');
    await expectError('AUTHENTICATION_FAILED', fetchKey(chat, realm, 'ada@directory.example', 'ada says so'));
    await expectError('BAD_REQUEST', fetchKey(chat, realm, 'ada', 'ada says so'), /username/);
  });

  test('the server searches the directory without a service account where it allows anonymous searches', async () => {
    const { directory } = await createDirectoryIdentity({ url: slapd.url });
    const entry = await directory?.find('ada');
    expect(entry).toMatchObject({ email: 'Ada@Directory.example', full_name: 'Ada Lovelace' });
    expect(await directory?.verifyPassword({ dn: '', email: '', full_name: '' }, '')).toBe(false);
  });

  test('doctor reports what is wrong with the directory', async () => {
    await (await createDirectoryIdentity({ url: slapd.url })).directory?.check();
    await expect(
      (await createDirectoryIdentity({ url: slapd.url, base: 'dc=nowhere' })).directory?.check(),
    ).rejects.toThrow(/0x20/);
    const wrong = await createDirectoryIdentity({ url: slapd.url, bind_dn: SERVICE.dn, bind_password: 'forgotten' });
    await expect(wrong.directory?.check()).rejects.toThrow(/0x31/);
  });
});
