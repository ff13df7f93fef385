// Who can download a file: its uploader, and users who can read a message that links it. To others it is unknown.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { canRead, got, linking, partsOf, textFile, uploaded } from '../../../test/files.ts';
import { pass, schedule } from '../../../test/scheduling.ts';
import { sendAsNotificationBot } from '../messages/index.ts';

let chat: Chat;
let made = 0;
const fresh = (word: string) => `${word}${made++}`;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
});
afterAll(() => chat.close());

/** A file of a user that a message of theirs links, in a stream of this kind. */
async function shared(by: TestUser, settings: Partial<Parameters<Chat['stream']>[1]> = {}) {
  const name = fresh('stream');
  const stream_id = await chat.stream(name, { by, ...settings });
  const uri = await uploaded(by);
  const message_id = await chat.message({ from: by, to: name, content: linking(uri) });
  return { uri, name, stream_id, message_id };
}

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
    const { uri } = await shared(ada, { members: [inside] });
    expect(await canRead(chat, ben, uri)).toBe(true);
    expect(await canRead(chat, inside, uri)).toBe(true);
    expect(await canRead(chat, outside, uri)).toBe(false);
  });

  test('members of the organization when the stream is web-public, and not without credentials', async () => {
    const { api } = chat.owner;
    await api.updateRealm({ enable_spectator_access: true });
    const ben = await chat.user('ben');
    const outside = await chat.user('gil', { role: 'guest' });
    const { uri } = await shared(chat.owner, { is_web_public: true });
    expect(await canRead(chat, ben, uri)).toBe(true);
    expect(await canRead(chat, outside, uri)).toBe(false);
    expect((await got(chat, undefined, uri)).status).toBe(401);
  });

  test('subscribers of a private stream, also later ones where history is shared', async () => {
    const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
    const admin = await chat.user('iago', { role: 'admin' });
    const { uri, name } = await shared(ada, { invite_only: true, history_public_to_subscribers: true });
    for (const other of [ben, admin]) expect(await canRead(chat, other, uri)).toBe(false);
    await ada.api.subscribe({ subscriptions: [{ name }], principals: [ben.id] });
    expect(await canRead(chat, ben, uri)).toBe(true);
    expect(await canRead(chat, eve, uri)).toBe(false);
  });

  test('users who received the message where history is protected', async () => {
    const [ada, ben, late] = await chat.users('ada', 'ben', 'late');
    const settings = { members: [ben], invite_only: true, history_public_to_subscribers: false };
    const { uri, name } = await shared(ada, settings);
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
    const secret = await shared(ada, { invite_only: true });
    expect(await canRead(chat, bot, secret.uri)).toBe(false);
    expect(await canRead(chat, bot, (await shared(ada)).uri)).toBe(true);
  });

  test('no user who was removed from the private stream', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { uri, name } = await shared(ada, { invite_only: true, members: [ben] });
    const { url } = await ben.api.getFileUrl(partsOf(uri));
    expect(await canRead(chat, ben, uri)).toBe(true);
    await ben.api.unsubscribe({ subscriptions: [name] });
    expect(await canRead(chat, ben, uri)).toBe(false);
    expect((await got(chat, undefined, url)).status, 'the temporary URL from a minute ago').toBe(404);
  });

  test('its uploader only once the stream is archived', async () => {
    const admin = await chat.user('iago', { role: 'admin' });
    const [ben] = await chat.users('ben');
    const { uri, stream_id } = await shared(admin, { members: [ben] });
    await admin.api.archiveStream({ stream_id });
    expect(await canRead(chat, ben, uri)).toBe(false);
    expect(await canRead(chat, admin, uri)).toBe(true);
  });

  test('readers of the stream that the message was moved to', async () => {
    const admin = await chat.user('iago', { role: 'admin' });
    const [ben, eve] = await chat.users('ben', 'eve');
    const { uri, message_id } = await shared(admin, { invite_only: true, members: [ben] });
    const there = await chat.stream(fresh('there'), { by: admin, invite_only: true, members: [eve] });
    await admin.api.updateMessage({ message_id, stream_id: there });
    expect(await canRead(chat, ben, uri)).toBe(false);
    expect(await canRead(chat, eve, uri)).toBe(true);
  });
});

describe('access to a file by a message', () => {
  test('needs an author who can read the file: posting its URL gives no access', async () => {
    const [ada, eve] = await chat.users('ada', 'eve');
    const uri = await uploaded(ada);
    const { name } = await shared(eve);
    await chat.message({ from: eve, to: name, content: linking(uri) });
    const id = await chat.message({ from: eve, to: [eve], content: 'nothing' });
    await eve.api.updateMessage({ message_id: id, content: linking(uri) });
    await schedule(chat, eve, [eve], { content: linking(uri) });
    expect(await canRead(chat, eve, uri)).toBe(false);
  });

  test('can be passed on by each user who has it', async () => {
    const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
    const { uri } = await shared(ada, { invite_only: true, members: [ben] });
    await chat.message({ from: ben, to: [eve], content: linking(uri) });
    expect(await canRead(chat, eve, uri)).toBe(true);
  });

  test('is not extended by messages that the server writes in its own name', async () => {
    const [ada] = await chat.users('ada');
    const { uri } = await shared(ada);
    const guest = await chat.user('gus', { role: 'guest' });
    const stream_id = await chat.stream(fresh('guests'), { by: ada, members: [guest] });
    await chat.act((ctx) => sendAsNotificationBot(ctx, { stream_id, topic: 'notices', content: linking(uri) }));
    expect(await canRead(chat, guest, uri)).toBe(false);
  });

  test('ends when the message is edited, deleted, or deleted with its topic', async () => {
    const admin = await chat.user('iago', { role: 'admin' });
    const [ada, ben] = await chat.users('ada', 'ben');
    const edited = await shared(ada);
    await ada.api.updateMessage({ message_id: edited.message_id, content: 'no soup' });
    const deleted = await shared(ada);
    await admin.api.deleteMessage({ message_id: deleted.message_id });
    const cleared = await shared(ada);
    await admin.api.deleteTopic({ stream_id: cleared.stream_id, topic_name: 'soup' });
    for (const { uri } of [edited, deleted, cleared]) {
      expect(await canRead(chat, ben, uri)).toBe(false);
      expect(await canRead(chat, ada, uri)).toBe(true);
    }
  });

  test('stays while another message links it', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { uri, name, message_id } = await shared(ada);
    await chat.message({ from: ada, to: name, content: linking(uri) });
    await ada.api.updateMessage({ message_id, content: 'no soup' });
    expect(await canRead(chat, ben, uri)).toBe(true);
  });

  test('stays when an edit keeps the link, even if its author could not read the file otherwise', async () => {
    const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
    const first = await chat.message({ from: ada, to: [ben], content: 'soup?' });
    const uri = await uploaded(ada);
    await ada.api.updateMessage({ message_id: first, content: linking(uri) });
    const passed = await chat.message({ from: ben, to: [eve], content: linking(uri) });
    await ada.api.updateMessage({ message_id: first, content: 'no soup' });
    await ben.api.updateMessage({ message_id: passed, content: `Still: ${linking(uri)}` });
    expect(await canRead(chat, eve, uri)).toBe(true);
  });

  test('begins with an edit that adds the link, and when a scheduled message is sent', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { name } = await shared(ada);
    const uri = await uploaded(ada);
    const message_id = await chat.message({ from: ada, to: name });
    await ada.api.updateMessage({ message_id, content: linking(uri) });
    expect(await canRead(chat, ben, uri)).toBe(true);
    const later = await uploaded(ada);
    await schedule(chat, ada, [ben], { content: linking(later) });
    expect(await canRead(chat, ben, later)).toBe(false);
    await pass(chat);
    expect(await canRead(chat, ben, later)).toBe(true);
  });

  test('begins when a scheduled message is sent, although the message that shared the file is gone', async () => {
    const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
    const uri = await uploaded(ada);
    const first = await chat.message({ from: ada, to: [ben], content: linking(uri) });
    const id = await schedule(chat, ben, [eve], { content: linking(uri) });
    const dropped = await schedule(chat, ben, [eve], { content: linking(uri) });
    await ada.api.updateMessage({ message_id: first, content: 'no soup' });
    expect(await canRead(chat, ben, uri)).toBe(true);
    await ben.api.updateScheduledMessage({ scheduled_message_id: dropped, content: 'nothing' });
    await ben.api.updateScheduledMessage({ scheduled_message_id: id, content: `Here: ${linking(uri)}` });
    await pass(chat);
    expect(await canRead(chat, eve, uri)).toBe(true);
  });

  test('by a scheduled message ends when that is deleted', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const uri = await uploaded(ada);
    const first = await chat.message({ from: ada, to: [ben], content: linking(uri) });
    const id = await schedule(chat, ben, [ben], { content: linking(uri) });
    await ada.api.updateMessage({ message_id: first, content: 'no soup' });
    await ben.api.deleteScheduledMessage({ scheduled_message_id: id });
    expect(await canRead(chat, ben, uri)).toBe(false);
  });

  test('is not given by a link inside code', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const uri = await uploaded(ada);
    await chat.message({ from: ada, to: [ben], content: `\`${linking(uri)}\`` });
    expect(await canRead(chat, ben, uri)).toBe(false);
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
    const { uri } = await shared(ada);
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
    const { uri } = await shared(ada);
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
    const { name } = await shared(admin);
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
