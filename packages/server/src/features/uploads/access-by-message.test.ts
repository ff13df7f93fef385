// When a message gives its readers access to a file that it links, and when the access ends.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { canRead, linking, uploaded } from '../../../test/files.ts';
import { fresh, shareFile } from '../../../test/fixtures/shared-files.ts';
import { pass, schedule } from '../../../test/scheduling.ts';
import { sendAsNotificationBot } from '../messages/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
});
afterAll(() => chat.close());

describe('access to a file by a message', () => {
  test('needs an author who can read the file: posting its URL gives no access', async () => {
    const [ada, eve] = await chat.users('ada', 'eve');
    const uri = await uploaded(ada);
    const { name } = await shareFile(chat, eve);
    await chat.message({ from: eve, to: name, content: linking(uri) });
    const id = await chat.message({ from: eve, to: [eve], content: 'nothing' });
    await eve.api.updateMessage({ message_id: id, content: linking(uri) });
    await schedule(chat, eve, [eve], { content: linking(uri) });
    expect(await canRead(chat, eve, uri)).toBe(false);
  });

  test('can be passed on by each user who has it', async () => {
    const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
    const { uri } = await shareFile(chat, ada, { invite_only: true, members: [ben] });
    await chat.message({ from: ben, to: [eve], content: linking(uri) });
    expect(await canRead(chat, eve, uri)).toBe(true);
  });

  test('is not extended by messages that the server writes in its own name', async () => {
    const [ada] = await chat.users('ada');
    const { uri } = await shareFile(chat, ada);
    const guest = await chat.user('gus', { role: 'guest' });
    const stream_id = await chat.stream(fresh('guests'), { by: ada, members: [guest] });
    await chat.act((ctx) => sendAsNotificationBot(ctx, { stream_id, topic: 'notices', content: linking(uri) }));
    expect(await canRead(chat, guest, uri)).toBe(false);
  });

  test('ends when the message is edited, deleted, or deleted with its topic', async () => {
    const admin = await chat.user('iago', { role: 'admin' });
    const [ada, ben] = await chat.users('ada', 'ben');
    const edited = await shareFile(chat, ada);
    await ada.api.updateMessage({ message_id: edited.message_id, content: 'no soup' });
    const deleted = await shareFile(chat, ada);
    await admin.api.deleteMessage({ message_id: deleted.message_id });
    const cleared = await shareFile(chat, ada);
    await admin.api.deleteTopic({ stream_id: cleared.stream_id, topic_name: 'soup' });
    for (const { uri } of [edited, deleted, cleared]) {
      expect(await canRead(chat, ben, uri)).toBe(false);
      expect(await canRead(chat, ada, uri)).toBe(true);
    }
  });

  test('stays while another message links it', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const { uri, name, message_id } = await shareFile(chat, ada);
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
    const { name } = await shareFile(chat, ada);
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

  test('begins when a scheduled message is sent, although the message that shared the file was deleted', async () => {
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
