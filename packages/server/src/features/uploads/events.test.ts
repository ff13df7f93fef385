// The events about files for their uploaders, and the cost of links.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { linking, partsOf, textFile, uploaded } from '../../../test/files.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

test('an upload emits an event to all clients of the uploader, and to no others', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { upload_key, file_name } = partsOf(await uploaded(ada));
  expect(await ada.takeEvents('attachment')).toEqual([
    {
      id: expect.any(Number),
      type: 'attachment',
      op: 'add',
      attachment: {
        id: expect.any(Number),
        name: file_name,
        path_id: `${chat.realm.id}/${upload_key}/${file_name}`,
        size: 23,
        create_time: expect.any(Number),
        messages: [],
      },
      upload_space_used: expect.any(Number),
    },
  ]);
  expect(await ben.takeEvents('attachment')).toEqual([]);
});

test('a message that adds or removes a link to a file emits an event to the uploader, if they can read it', async () => {
  const [ada, ben, eve] = await chat.users('ada', 'ben', 'eve');
  const uri = await uploaded(ada);
  await ada.takeEvents('attachment');
  const id = await chat.message({ from: ada, to: [ben], content: linking(uri) });
  const hidden = await chat.message({ from: ben, to: [eve], content: linking(uri) });
  expect(await ada.takeEvents('attachment')).toMatchObject([{ op: 'update', attachment: { messages: [{ id }] } }]);
  await ben.api.updateMessage({ message_id: hidden, content: 'no soup' });
  const again = await chat.message({ from: ben, to: [ada], content: linking(uri) });
  expect(await ada.takeEvents('attachment')).toMatchObject([{ attachment: { messages: [{ id: again }, { id }] } }]);
  await ada.api.updateMessage({ message_id: id, content: 'no soup' });
  expect(await ada.takeEvents('attachment')).toMatchObject([
    { op: 'update', attachment: { messages: [{ id: again }] } },
  ]);
  await chat.owner.api.updateRealm({ delete_own_message_policy: 1 });
  await ben.api.deleteMessage({ message_id: again });
  expect(await ada.takeEvents('attachment')).toMatchObject([{ op: 'update', attachment: { messages: [] } }]);
  expect(await ben.takeEvents('attachment')).toEqual([]);
});

test('an edit that links the same files as before emits no event about them', async () => {
  const [ada] = await chat.users('ada');
  const uri = await uploaded(ada);
  const message_id = await chat.message({ from: ada, to: [ada], content: linking(uri) });
  await ada.takeEvents('attachment');
  await ada.api.updateMessage({ message_id, content: `Again: ${linking(uri)}` });
  expect(await ada.takeEvents('attachment')).toEqual([]);
});

test('links to many files cost a message as many statements as a link to one, and three more than none', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const uris = await Promise.all(Array.from({ length: 20 }, (_, n) => uploaded(ada, textFile(`soup ${n}`))));
  const send = (content: string) => chat.statements(() => chat.message({ from: ada, to: [ben], content }));
  await send('to begin with');
  const [none, one, many] = [
    await send('[soup](https://example.com/soup)'),
    await send(linking(uris[0] ?? '')),
    await send(uris.map(linking).join('\n')),
  ];
  expect(many).toBe(one);
  // The message by itself, since links refer to it, the links, and the data of the file's event.
  expect(one).toBe(none + 3);
});

test('a message that links a file is found with has:attachment, and has a link', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const uri = await uploaded(ada);
  const id = await chat.message({ from: ada, to: [ben], content: linking(uri) });
  await chat.message({ from: ada, to: [ben], content: 'no soup' });
  const page = { anchor: 'newest', num_before: 10, num_after: 0 } as const;
  const { messages } = await ben.api.getMessages({ ...page, narrow: [['has', 'attachment']] });
  expect(messages).toMatchObject([{ id, content: `<p>Look: <a href="${uri}">soup</a></p>` }]);
});
