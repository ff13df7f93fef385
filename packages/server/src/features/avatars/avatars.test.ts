import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { picture } from '../../../test/pictures.ts';

let chat: Chat;
let file: Blob;
beforeAll(async () => {
  chat = await startChat();
  file = await picture();
});
afterAll(() => chat.close());

const change = async ({ api }: TestUser) => (await api.uploadAvatar({ file })).avatar_url;
const asking = ({ queue_id, last_event_id }: { queue_id: string; last_event_id: number }) => ({
  queue_id,
  last_event_id,
});
/** The unguessable URL of an uploaded avatar. */
const OWN = /^\/user_avatars\/[0-9a-f-]{36}$/;

describe("a user's avatar", () => {
  test('is returned wherever the user is shown, with client_gravatar as well', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const message_id = await chat.message({ from: ada, to: [ben] });
    const avatar_url = await change(ada);
    expect(avatar_url).toMatch(OWN);
    for (const client_gravatar of [true, false]) {
      const shown = { avatar_url, avatar_version: 2 };
      expect((await ben.api.getUser({ user_id: ada.id, client_gravatar })).user).toMatchObject(shown);
      const { members } = await ben.api.getUsers({ client_gravatar });
      expect(members.find(({ user_id }) => user_id === ada.id)).toMatchObject(shown);
      const page = { anchor: message_id, num_before: 0, num_after: 0, client_gravatar };
      expect((await ben.api.getMessages(page)).messages).toMatchObject([{ avatar_url }]);
      const state = await ada.api.registerQueue({ client_gravatar, event_types: ['realm_user'] });
      expect(state.avatar_url).toBe(avatar_url);
      expect(state.realm_users?.find(({ user_id }) => user_id === ada.id)).toMatchObject(shown);
    }
    expect(await ada.api.getOwnUser()).toMatchObject({ avatar_url, avatar_version: 2 });
    expect((await ben.api.getMessage({ message_id })).message).toMatchObject({ avatar_url });
  });

  test('is in messages that are sent from then on', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const queue = await ben.api.registerQueue({ event_types: ['message'], client_gravatar: true });
    const avatar_url = await change(ada);
    await chat.message({ from: ada, to: [ben] });
    const { events } = await ben.api.getEvents({ ...asking(queue), dont_block: true });
    expect(events).toMatchObject([{ message: { avatar_url } }]);
    expect(await ben.takeEvents('message')).toMatchObject([{ message: { avatar_url } }]);
  });

  test('emits an event to all users who see the user', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    for (const who of [ada, ben]) await who.takeEvents();
    const avatar_url = await change(ada);
    const person = {
      user_id: ada.id,
      avatar_source: 'U',
      avatar_url,
      avatar_url_medium: `${avatar_url}/medium`,
      avatar_version: 2,
    };
    for (const who of [ada, ben])
      expect(await who.takeEvents('realm_user')).toEqual([
        { id: expect.any(Number), type: 'realm_user', op: 'update', person },
      ]);
  });

  test('emits no event to guests who cannot see the user', async () => {
    const { realm, owner } = await chat.otherRealm('guarded');
    const { realm_user_groups } = await owner.api.registerQueue({ fetch_event_types: ['realm_user_groups'] });
    const members = realm_user_groups?.find(({ name }) => name === 'role:members')?.id ?? 0;
    await owner.api.updateRealm({ can_access_all_users_group: members });
    const [ada, guest] = [await chat.user('ada', { realm }), await chat.user('gus', { realm, role: 'guest' })];
    await change(ada);
    expect(await guest.takeEvents('realm_user')).toEqual([]);
    await chat.message({ from: ada, to: [guest] });
    const { avatar_url } = await ada.api.getOwnUser();
    expect(await guest.takeEvents('realm_user')).toMatchObject([{ op: 'add', person: { avatar_url } }]);
  });

  // shows: 2.51
  test('is replaced by the default avatar when the user deletes it, with a new version', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const before = await change(ada);
    await ben.takeEvents('realm_user');
    const queue = await ben.api.registerQueue({ event_types: ['realm_user'], client_gravatar: true });
    expect(await ada.api.deleteAvatar()).toEqual({ avatar_url: `/avatar/${ada.id}` });
    const person = { user_id: ada.id, avatar_source: 'G', avatar_url: `/avatar/${ada.id}`, avatar_version: 3 };
    expect(await ben.takeEvents('realm_user')).toMatchObject([{ person }]);
    const { events } = await ben.api.getEvents({ ...asking(queue), dont_block: true });
    expect(events).toMatchObject([{ person }]);
    expect((await ben.api.getUser({ user_id: ada.id })).user).toMatchObject({ avatar_url: null, avatar_version: 3 });
    expect((await chat.fetch(before)).status).toBe(404);
  });

  test('emits no event when it is deleted and there is none', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    expect(await ada.api.deleteAvatar()).toEqual({ avatar_url: `/avatar/${ada.id}` });
    expect(await ben.takeEvents('realm_user')).toEqual([]);
    expect(await ada.api.getOwnUser()).toMatchObject({ avatar_version: 1 });
  });
});

describe('users who can change their avatar:', () => {
  test('all users, guests and bots too', async () => {
    const [ada] = await chat.users('ada');
    for (const who of [ada, await chat.user('gus', { role: 'guest' }), await chat.user('bo', { bot_of: ada })])
      expect(await change(who)).toMatch(OWN);
  });

  test('only administrators while avatar changes are disabled', async () => {
    const { realm } = await chat.otherRealm('strict');
    const [ada, admin] = [await chat.user('ada', { realm }), await chat.user('iago', { realm, role: 'admin' })];
    const before = await change(ada);
    await admin.api.updateRealm({ avatar_changes_disabled: true });
    await expectError('BAD_REQUEST', ada.api.uploadAvatar({ file }), /administrators/);
    await expectError('BAD_REQUEST', ada.api.deleteAvatar(), /administrators/);
    expect(await ada.api.getOwnUser()).toMatchObject({ avatar_url: before, avatar_version: 2 });
    await change(admin);
    await admin.api.deleteAvatar();
  });
});

test("a change of a bot's avatar emits a realm_bot event to its owner", async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const bot = await chat.user('bo', { bot_of: ada });
  await ada.takeEvents('realm_bot');
  const avatar_url = await change(bot);
  expect(await ada.takeEvents('realm_bot')).toMatchObject([{ op: 'update', bot: { user_id: bot.id, avatar_url } }]);
  expect((await ada.api.getBots()).bots.find(({ user_id }) => user_id === bot.id)).toMatchObject({ avatar_url });
  expect(await ben.takeEvents('realm_bot')).toEqual([]);
});

test('of two concurrent avatars the later one is in effect for all users', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const urls = await Promise.all([change(ada), change(ada), ada.api.deleteAvatar().then(() => change(ada))]);
  const { avatar_url, avatar_version } = await ada.api.getOwnUser();
  expect(urls).toContain(avatar_url);
  expect((await ben.takeEvents('realm_user')).at(-1)).toMatchObject({ person: { avatar_url, avatar_version } });
  const answers = await Promise.all(urls.map((url) => chat.fetch(url)));
  expect(answers.map(({ status }) => status)).toEqual(urls.map((url) => (url === avatar_url ? 200 : 404)));
});

test('an avatar that is sent again with its Idempotency-Key is changed once', async () => {
  const [ada] = await chat.users('ada');
  const send = () => ada.api.uploadAvatar({ file }, { idempotencyKey: 'me' });
  expect(await send()).toEqual(await send());
  expect(await ada.api.getOwnUser()).toMatchObject({ avatar_version: 2 });
});
