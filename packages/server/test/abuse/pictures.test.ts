// What the pictures of one account can cost the pictures of others.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

/** A picture that takes long to decode, in a few kilobytes. */
async function largePicture(): Promise<File> {
  const create = { width: 3000, height: 3000, channels: 3, background: '#a0522d' } as const;
  const bytes = await sharp({ create }).png().toBuffer();
  return new File([new Uint8Array(bytes)], 'large.png', { type: 'image/png' });
}

const upload = ({ api }: TestUser, file: File): Promise<string> =>
  api.uploadAvatar({ file }).then(
    () => 'done',
    ({ code }) => code,
  );

test('an account that uploads many avatars concurrently delays its own, and no avatar of others fails', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const file = await largePicture();
  const codes: string[] = [];
  const flood = Array.from({ length: 60 }, async () => {
    codes.push(await upload(ada, file));
  });
  // So many uploads wait that the server rejects some.
  while (codes.every((code) => code === 'done') && codes.length < flood.length) await new Promise(setImmediate);
  expect(await upload(ben, file)).toBe('done');
  // Without turns, all that waited before would have been done first.
  expect(flood.length - codes.length).toBeGreaterThan(10);
  await Promise.all(flood);
  expect(new Set(codes)).toEqual(new Set(['done', 'SERVICE_UNAVAILABLE']));
});
