// Uploads as libraries and terminal clients for this kind of API write them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { picture } from '../pictures.ts';
import { rawCalls } from './raw.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());
const { call } = rawCalls(() => ({ chat, person: ada }));

describe('a file', () => {
  const file = async () => new File([await picture('png')], 'soup.png', { type: 'image/png' });
  let made = 0;
  const paths = () => ['/user_uploads', `/realm/emoji/soup${made++}`, '/users/me/avatar'];
  const send = (path: string, body: FormData) => call(path, { method: 'POST', body });

  test.each(['/home/ada/pictures/soup.png', 'filename', 'file', 'name'])(
    'can be a part of any name, such as %j',
    async (name) => {
      for (const path of paths()) {
        const form = new FormData();
        form.append(name, await file());
        const { status, body } = await send(path, form);
        expect([status, body], path).toEqual([200, expect.objectContaining({ result: 'success', msg: '' })]);
        expect(body).not.toHaveProperty('ignored_parameters_unsupported');
        if (path === '/user_uploads') expect(body.uri).toMatch(/^\/user_uploads\/\d+\/[0-9a-f-]{36}\/soup\.png$/);
      }
    },
  );

  test('must be present', async () => {
    for (const path of paths()) {
      const form = new FormData();
      form.append('caption', 'Soup');
      const { status, body } = await send(path, form);
      expect([status, body.code, body.msg], path).toEqual([
        400,
        'REQUEST_VARIABLE_MISSING',
        'Parameter "file" is missing.',
      ]);
    }
  });

  test('must be the only one: of two neither is stored', async () => {
    const { attachments } = await ada.api.getAttachments();
    for (const path of paths()) {
      const form = new FormData();
      form.append('/tmp/one.png', await file());
      form.append('/tmp/two.png', await file());
      const { status, body } = await send(path, form);
      expect([status, body], path).toEqual([
        400,
        { result: 'error', code: 'BAD_REQUEST', reason: 'invalid', msg: 'The body must have exactly one file.' },
      ]);
    }
    expect((await ada.api.getAttachments()).attachments).toEqual(attachments);
  });

  test('has its limit, whatever its part is called', async () => {
    const form = new FormData();
    form.append('/tmp/large.png', new File([new Uint8Array(5 * 1024 * 1024 + 1)], 'large.png'));
    const { status, body } = await send('/users/me/avatar', form);
    expect([status, body.msg]).toEqual([400, 'Parameter "file" must be a file of at most 5 MiB.']);
  });

  test('is no parameter of other operations, which report its name', async () => {
    const form = new FormData();
    form.append('/tmp/soup.png', await file());
    const { body } = await send('/mark_all_as_read', form);
    expect(body).toMatchObject({ result: 'success', ignored_parameters_unsupported: ['/tmp/soup.png'] });
  });
});
