import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { loginOf } from '../../../test/files.ts';
import {
  blob,
  expectNothing,
  expectPicture,
  type Format,
  moving,
  NOT_A_PICTURE,
  picture,
  shown,
} from '../../../test/pictures.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());

const change = async (file: Blob) => (await ada.api.uploadAvatar({ file })).avatar_url;

describe('an uploaded picture', () => {
  test.each<Format>(['png', 'jpeg', 'gif', 'webp'])('becomes a square PNG in two sizes: %s', async (format) => {
    const url = await change(await picture(format, { width: 300, height: 200 }));
    for (const [path, size] of [
      [url, 100],
      [`${url}/medium`, 500],
    ] as const) {
      const { bytes } = await shown(chat, path);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: size, height: size });
    }
  });

  test('is cropped to the square in its middle', async () => {
    const three = await sharp({ create: { width: 100, height: 100, channels: 3, background: 'lime' } })
      .extend({ left: 100, right: 100, background: 'red' })
      .png()
      .toBuffer();
    const { bytes } = await shown(chat, await change(blob(three)));
    const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([...data.subarray(0, 3)], 'pixels of the left edge').toEqual([0, 255, 0]);
    expect([...data.subarray(-3)], 'pixels of the right edge').toEqual([0, 255, 0]);
  });

  test('of an animation is its first frame', async () => {
    for (const format of ['gif', 'webp'] as const) {
      const { bytes } = await shown(chat, await change(await moving(format, ['red', 'blue'])));
      expect((await sharp(bytes, { animated: true }).metadata()).pages ?? 1).toBe(1);
      const { dominant } = await sharp(bytes).stats();
      expect(dominant.r).toBeGreaterThan(dominant.b);
    }
  });

  test('is rotated upright, and its metadata are removed', async () => {
    const bytes = await sharp(Buffer.from(await (await picture('jpeg')).arrayBuffer()))
      .withExif({ IFD0: { Copyright: 'Ada at home' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const url = await change(blob(bytes));
    for (const path of [url, `${url}/medium`]) {
      const served = (await shown(chat, path)).bytes;
      expect(served.includes('Ada at home')).toBe(false);
      expect(await sharp(served).metadata()).not.toHaveProperty('exif');
    }
  });
});

describe('uploads that fail, and leave the avatar as it was:', () => {
  test.each([
    ['nothing', blob('')],
    ['a page', new File(['<html><script>alert(1)</script></html>'], 'a.png', { type: 'image/png' })],
    [
      'SVG',
      new File(['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'], 'a.svg', {
        type: 'image/svg+xml',
      }),
    ],
    ['a GIF head and noise', blob(`GIF89a${'noise'.repeat(100)}`)],
  ])('%s', async (_what, file) => {
    const before = await ada.api.getOwnUser();
    await expectError('BAD_REQUEST', ada.api.uploadAvatar({ file }), NOT_A_PICTURE);
    expect(await ada.api.getOwnUser()).toEqual(before);
  });

  test('a small file that decodes to a huge picture', async () => {
    const background = { width: 12_000, height: 12_000, channels: 3 as const, background: 'red' };
    const bomb = await sharp({ create: background, limitInputPixels: false }).png({ compressionLevel: 9 }).toBuffer();
    await expectError('BAD_REQUEST', ada.api.uploadAvatar({ file: blob(bomb) }), /^file: .*pixels/);
  });

  test('a file over 5 MiB, and a missing file', async () => {
    const large = blob(new Uint8Array(5 * 1024 * 1024 + 1));
    await expectError('BAD_REQUEST', ada.api.uploadAvatar({ file: large }), /"file".*5 MiB/);
    const body = new FormData();
    const answer = await chat.fetch('/api/v1/users/me/avatar', { method: 'POST', headers: loginOf(ada), body });
    expect(await answer.json()).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: 'file' });
  });
});

describe('the URL', () => {
  test('needs no login, can be cached, and executes no content', async () => {
    const url = await change(await picture());
    for (const path of [url, `${url}/medium`]) {
      const answer = await shown(chat, path);
      expectPicture(answer);
    }
  });

  test('is new for each picture, and the previous URL returns 404', async () => {
    const file = await picture();
    const [before, now] = [await change(file), await change(file)];
    expect(now).not.toBe(before);
    expect([(await shown(chat, before)).status, (await shown(chat, now)).status]).toEqual([404, 200]);
  });

  test('returns 404 in another organization', async () => {
    const url = await change(await picture());
    const { realm } = await chat.otherRealm('afar');
    expect((await shown(chat, url, {}, realm)).status).toBe(404);
    expect((await shown(chat, url, {}, { ...realm, host: 'nowhere.localhost' })).status).toBe(404);
  });

  test.each([
    '/user_avatars',
    '/user_avatars/',
    '/user_avatars/1',
    '/user_avatars/00000000-0000-0000-0000-000000000000',
    '/user_avatars/%00',
    '/user_avatars/%2e%2e%2f',
  ])('returns 404 for a picture that does not exist: %s', (path) => expectNothing(chat, path));
});
