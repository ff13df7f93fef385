// The files of an account: who can list and delete them.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { got, linking, partsOf, textFile, uploaded } from '../../../test/files.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const listOf = async ({ api }: TestUser) => (await api.getAttachments()).attachments;
const spaceOf = async ({ api }: TestUser) => (await api.getAttachments()).upload_space_used;

test('users list their own files, with the messages that link these and that they can read', async () => {
  const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
  const before = await spaceOf(ada);
  const uri = await uploaded(ada);
  const other = await uploaded(ada, textFile('Leek', 'leek.txt'));
  const id = await chat.message({ from: ada, to: [ben], content: linking(uri) });
  await chat.message({ from: ben, to: [eve], content: linking(uri) });
  const of = (one: string, name: string) => ({
    id: expect.any(Number),
    name,
    path_id: `${chat.realm.id}/${partsOf(one).upload_key}/${name}`,
    create_time: expect.any(Number),
  });
  expect(await listOf(ada)).toEqual([
    { ...of(uri, 'soup.txt'), size: 23, messages: [{ id, date_sent: expect.any(Number) }] },
    { ...of(other, 'leek.txt'), size: 4, messages: [] },
  ]);
  expect(await spaceOf(ada)).toBe(before + 27);
  expect(await listOf(ben)).toEqual([]);
});

test('no user can download a file that its user deleted, its space is free, and only its user receives the event', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const uri = await uploaded(ada);
  const message_id = await chat.message({ from: ada, to: [ben], content: linking(uri) });
  const { url } = await ben.api.getFileUrl(partsOf(uri));
  const before = await spaceOf(ada);
  await ada.takeEvents('attachment');
  const attachment_id = (await listOf(ada))[0]?.id ?? 0;
  await ada.api.deleteAttachment({ attachment_id });
  expect(await ada.takeEvents('attachment')).toMatchObject([
    { op: 'remove', attachment: { id: attachment_id }, upload_space_used: before - 23 },
  ]);
  expect(await ben.takeEvents('attachment')).toEqual([]);
  expect(await listOf(ada)).toEqual([]);
  for (const who of [ada, ben]) expect((await got(chat, who, uri)).status).toBe(404);
  expect((await got(chat, undefined, url)).status).toBe(404);
  const pieces = await rows(chat.database.db, sql`select from upload_pieces where upload_id = ${attachment_id}`);
  expect(pieces).toHaveLength(0);
  expect((await ben.api.getMessage({ message_id })).raw_content).toContain(uri);
});

test('a file of another user and an unknown id get the same response', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const uri = await uploaded(ada);
  await chat.message({ from: ada, to: [ben], content: linking(uri) });
  const id = (await listOf(ada))[0]?.id ?? 0;
  for (const who of [ben, chat.owner]) {
    await expect(who.api.deleteAttachment({ attachment_id: id })).rejects.toMatchObject({ status: 400 });
    const errorResponse = await expectError(
      'BAD_REQUEST',
      who.api.deleteAttachment({ attachment_id: id }),
      /You have no file/,
    );
    const unknown = await expectError('BAD_REQUEST', who.api.deleteAttachment({ attachment_id: 987_654 }), /987654/);
    expect(errorResponse.msg.replace(String(id), '987654')).toBe(unknown.msg);
  }
  expect((await got(chat, ben, uri)).status).toBe(200);
});
