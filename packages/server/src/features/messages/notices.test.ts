import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import type { PublicCtx, User } from '../../core/context.ts';
import { listUsersByIds } from '../users/index.ts';
import { sendAsNotificationBot, sendDirectAsNotificationBot } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

test('a notice in a stream comes from the Notification Bot, and is read for the users in read_for', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('notices', { by: ada, members: [ben], invite_only: true, stream_post_policy: 2 });
  await Promise.all([ada.takeEvents(), ben.takeEvents()]);
  const content = `@_**${ada.full_name}|${ada.id}** made #**notices**`;
  const { id } = await chat.act((ctx) =>
    sendAsNotificationBot(ctx, { stream_id, topic: 'stream events', content, read_for: [ada.id] }),
  );
  const [heard] = await ben.takeEvents('message');
  expect(heard).toMatchObject({
    flags: [],
    message: { id, sender_full_name: 'Notification Bot', client: 'ParleyServer', subject: 'stream events' },
  });
  expect(heard?.message.content).toContain(`<a class="stream" data-stream-id="${stream_id}"`);
  expect(await ada.takeEvents('message')).toMatchObject([{ flags: ['read'], message: { id } }]);
});

/** Sends direct messages in the server's own name. */
async function notify(ctx: PublicCtx, notices: readonly { id: number; content: string }[]): Promise<void> {
  const ids = notices.map(({ id }) => id);
  const users = new Map((await listUsersByIds(ctx.db, ctx.realm.id, ids)).map((user) => [user.id, user]));
  const letters = notices.map(({ id, content }) => ({ to: users.get(id) as User, content }));
  await sendDirectAsNotificationBot(ctx, letters, { users: [], streams: [] });
}

test('direct notices to many users take as many statements as to one', async () => {
  const users = await chat.users('ada', 'ben', 'cleo');
  const postNotice = (some: readonly { id: number }[]) =>
    chat.statements(() =>
      chat.act((ctx) =>
        notify(
          ctx,
          some.map(({ id }) => ({ id, content: `hello ${id}` })),
        ),
      ),
    );
  const [one, two] = [await postNotice(users.slice(0, 1)), await postNotice(users.slice(1))];
  expect(two).toBe(one);
  for (const person of users) {
    expect(await person.takeEvents('message')).toMatchObject([
      { message: { content: `<p>hello ${person.id}</p>`, type: 'private' } },
    ]);
  }
});

test('several notices can be sent to the same user at once', async () => {
  const [ada] = await chat.users('ada');
  await chat.act((ctx) =>
    notify(
      ctx,
      ['one', 'two'].map((content) => ({ id: ada.id, content })),
    ),
  );
  expect((await ada.takeEvents('message')).map(({ message }) => message.content)).toEqual(['<p>one</p>', '<p>two</p>']);
});
