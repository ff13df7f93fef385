// Who can download a file: its uploader, and users who can read a message that links it. To others it is unknown.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { canRead, got, linking, partsOf, textFile, uploaded } from '../../../test/files.ts';
import { fresh, shareFile } from '../../../test/fixtures/shared-files.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
});
afterAll(() => chat.close());

describe('a file without a message that links it', () => {
  test('is accessible to its uploader alone', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const admin = await chat.user('iago', { role: 'admin' });
    const uri = await uploaded(ada);
    expect(await canRead(chat, ada, uri)).toBe(true);
    for (const other of [ben, admin, chat.owner]) expect(await canRead(chat, other, uri)).toBe(false);
  });

  test('of a bot is accessible to the bot, and not to its owner', async () => {
    const [ada] = await chat.users('ada');
    const bot = await chat.user('bo', { bot_of: ada });
    const uri = await uploaded(bot);
    expect(await canRead(chat, bot, uri)).toBe(true);
    expect(await canRead(chat, ada, uri)).toBe(false);
  });
});

describe('a file that a message links is accessible to', () => {
  test('members, subscribed or not, of a public stream, and guests who are in it', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const [inside, outside] = [await chat.user('gus', { role: 'guest' }), await chat.user('gil', { role: 'guest' })];
    const { uri } = await shareFile(chat, ada, { members: [inside] });
    expect(await canRead(chat, ben, uri)).toBe(true);
    expect(await canRead(chat, inside, uri)).toBe(true);
    expect(await canRead(chat, outside, uri)).toBe(false);
  });

  test('members of the organization when the stream is web-public, and not without credentials', async () => {
    const { api } = chat.owner;
    await api.updateRealm({ enable_spectator_access: true });
    const ben = await chat.user('ben');
    const outside = await chat.user('gil', { role: 'guest' });
    const { uri } = await shareFile(chat, chat.owner, { is_web_public: true });
    expect(await canRead(chat, ben, uri)).toBe(true);
    expect(await canRead(chat, outside, uri)).toBe(false);
    expect((await got(chat, undefined, uri)).status).toBe(401);
  });

  test('subscribers of a private stream, also later ones where history is shared', async () => {
    const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
    const admin = await chat.user('iago', { role: 'admin' });
    const { uri, name } = await shareFile(chat, ada, { invite_only: true, history_public_to_subscribers: true });
    for (const other of [ben, admin]) expect(await canRead(chat, other, uri)).toBe(false);
    await ada.api.subscribe({ subscriptions: [{ name }], principals: [ben.id] });
    expect(await canRead(chat, ben, uri)).toBe(true);
    expect(await canRead(chat, eve, uri)).toBe(false);
  });

  test('users who received the message where history is protected', async () => {
    const [ada, ben, late] = await chat.users('ada', 'ben', 'late');
    const settings = { members: [ben], invite_only: true, history_public_to_subscribers: false };
    const { uri, name } = await shareFile(chat, ada, settings);
    await ada.api.subscribe({ subscriptions: [{ name }], principals: [late.id] });
    expect(await canRead(chat, ben, uri)).toBe(true);
    expect(await canRead(chat, late, uri)).toBe(false);
  });

  test('the participants of a direct message', async () => {
    const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
    const uri = await uploaded(ada);
    await chat.message({ from: ada, to: [ben], content: linking(uri) });
    expect(await canRead(chat, ben, uri)).toBe(true);
    expect(await canRead(chat, eve, uri)).toBe(false);
  });

  test('bots, by their own access', async () => {
    const [ada] = await chat.users('ada');
    const bot = await chat.user('bo', { bot_of: ada });
    const secret = await shareFile(chat, ada, { invite_only: true });
    expect(await canRead(chat, bot, secret.uri)).toBe(false);
    expect(await canRead(chat, bot, (await shareFile(chat, ada)).uri)).toBe(true);
  });

  test('no user who was removed from the private stream', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { uri, name } = await shareFile(chat, ada, { invite_only: true, members: [ben] });
    const { url } = await ben.api.getFileUrl(partsOf(uri));
    expect(await canRead(chat, ben, uri)).toBe(true);
    await ben.api.unsubscribe({ subscriptions: [name] });
    expect(await canRead(chat, ben, uri)).toBe(false);
    expect((await got(chat, undefined, url)).status, 'the temporary URL from a minute ago').toBe(404);
  });

  test('its uploader only once the stream is archived', async () => {
    const admin = await chat.user('iago', { role: 'admin' });
    const [ben] = await chat.users('ben');
    const { uri, stream_id } = await shareFile(chat, admin, { members: [ben] });
    await admin.api.archiveStream({ stream_id });
    expect(await canRead(chat, ben, uri)).toBe(false);
    expect(await canRead(chat, admin, uri)).toBe(true);
  });

  test('readers of the stream that the message was moved to', async () => {
    const admin = await chat.user('iago', { role: 'admin' });
    const [ben, eve] = await chat.users('ben', 'eve');
    const { uri, message_id } = await shareFile(chat, admin, { invite_only: true, members: [ben] });
    const there = await chat.stream(fresh('there'), { by: admin, invite_only: true, members: [eve] });
    await admin.api.updateMessage({ message_id, stream_id: there });
    expect(await canRead(chat, ben, uri)).toBe(false);
    expect(await canRead(chat, eve, uri)).toBe(true);
  });
});

describe('a file without access', () => {
  test('is reported like one that does not exist', async () => {
    const [ada, eve] = await chat.users('ada', 'eve');
    const uri = await uploaded(ada);
    const unknown = uri.replace(/[0-9a-f]{8}-/, '00000000-');
    const [one, other] = [await got(chat, eve, uri), await got(chat, eve, unknown)];
    expect(one.status).toBe(404);
    expect(one.bytes.toString()).toBe(other.bytes.toString());
    const [errorResponse, like] = [
      await expectError('BAD_REQUEST', eve.api.getFileUrl(partsOf(uri))),
      await expectError('BAD_REQUEST', eve.api.getFileUrl(partsOf(unknown))),
    ];
    expect(errorResponse).toEqual(like);
  });

  test('is any file of another organization, at either host', async () => {
    const [ada] = await chat.users('ada');
    const { uri } = await shareFile(chat, ada);
    const { realm, owner } = await chat.otherRealm(fresh('afar'));
    expect((await got(chat, owner, uri, { realm })).status).toBe(404);
    expect((await got(chat, owner, uri)).status).toBe(401);
    await expectError('BAD_REQUEST', owner.api.getFileUrl(partsOf(uri)));
    await expectError('BAD_REQUEST', owner.api.getFileUrl({ ...partsOf(uri), realm_id: realm.id }));
    const { url } = await ada.api.getFileUrl(partsOf(uri));
    expect((await got(chat, undefined, url, { realm })).status).toBe(404);
    await owner.api.subscribe({ subscriptions: [{ name: 'there' }] });
    await chat.message({ from: owner, to: 'there', content: linking(uri) });
    expect((await got(chat, owner, uri, { realm })).status).toBe(404);
  });

  test('is any file for a deactivated user, with a temporary URL as well', async () => {
    const dan = await chat.user('dan', { mirrored: false });
    const uri = await uploaded(dan);
    const { url } = await dan.api.getFileUrl(partsOf(uri));
    await chat.owner.api.deactivateUser({ user_id: dan.id });
    expect((await got(chat, dan, uri)).status).toBe(401);
    expect((await got(chat, undefined, url)).status).toBe(404);
  });

  test('is any file for incoming webhooks', async () => {
    const [ada] = await chat.users('ada');
    const hook = await chat.user('hook', { bot_of: ada, bot_type: 2 });
    const { uri } = await shareFile(chat, ada);
    expect((await got(chat, hook, uri)).status).toBe(401);
    await expectError('UNAUTHORIZED', hook.api.uploadFile({ file: textFile() }));
  });
});

test('a download during the deletion of its message returns all of the file, or nothing', async () => {
  const admin = await chat.user('iago', { role: 'admin' });
  const [ben] = await chat.users('ben');
  const text = 'soup '.repeat(300_000);
  for (let round = 0; round < 3; round++) {
    const uri = await uploaded(admin, textFile(text));
    const { name } = await shareFile(chat, admin);
    const message_id = await chat.message({ from: admin, to: name, content: linking(uri) });
    const fetching = Promise.all([1, 2, 3].map(() => got(chat, ben, uri)));
    await admin.api.deleteMessage({ message_id });
    for (const { status, bytes } of await fetching) {
      expect([200, 404]).toContain(status);
      if (status === 200) expect(bytes.equals(Buffer.from(text))).toBe(true);
    }
    expect(await canRead(chat, ben, uri)).toBe(false);
  }
});
