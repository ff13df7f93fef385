import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
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

let made = 0;
/** Adds an emoji and returns its item. */
async function added(file: Blob) {
  const name = `pic${made++}`;
  await ada.api.uploadCustomEmoji({ name, file });
  const item = Object.values((await ada.api.getCustomEmoji()).emoji).find((one) => one.name === name);
  if (!item) throw new Error(name);
  return item;
}
const upload = (file: Blob) => ada.api.uploadCustomEmoji({ name: `pic${made++}`, file });

describe('an uploaded picture', () => {
  test.each<Format>(['png', 'jpeg', 'gif', 'webp'])(
    'without animation becomes a PNG of 64 by 64: %s',
    async (format) => {
      const item = await added(await picture(format));
      expect(item.still_url).toBeNull();
      const { headers, bytes } = await shown(chat, item.source_url);
      expect(headers.get('content-type')).toBe('image/png');
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 64, height: 64, hasAlpha: true });
      const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
      const alphaAt = (x: number, y: number) => data[(y * info.width + x) * info.channels + 3];
      expect([alphaAt(32, 32), alphaAt(32, 0)]).toEqual([255, 0]);
      expect((await shown(chat, `${item.source_url}/still`)).status).toBe(404);
    },
  );

  test.each(['gif', 'webp'] as const)('with animation stays animated, and has a first frame: %s', async (format) => {
    const item = await added(await moving(format));
    expect(item.still_url).toBe(`${item.source_url}/still`);
    const whole = await shown(chat, item.source_url);
    expect(whole.headers.get('content-type')).toBe(`image/${format}`);
    expect(await sharp(whole.bytes, { animated: true }).metadata()).toMatchObject({
      format,
      width: 64,
      pageHeight: 64,
      pages: 3,
      delay: [100, 100, 100],
    });
    const still = await shown(chat, `${item.source_url}/still`);
    expect(still.headers.get('content-type')).toBe('image/png');
    expect(await sharp(still.bytes).metadata()).toMatchObject({ format: 'png', width: 64, height: 64 });
  });

  test('is rotated upright, and its metadata are removed', async () => {
    const bytes = await sharp(Buffer.from(await (await picture('jpeg', { width: 90, height: 30 })).arrayBuffer()))
      .withExif({ IFD0: { Copyright: 'Ada at home' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(bytes.includes('Ada at home')).toBe(true);
    const { bytes: stored } = await shown(chat, (await added(blob(bytes))).source_url);
    expect(stored.includes('Ada at home')).toBe(false);
    const { data, info } = await sharp(stored).raw().toBuffer({ resolveWithObject: true });
    const alphaAt = (x: number, y: number) => data[(y * info.width + x) * info.channels + 3];
    expect([alphaAt(32, 2), alphaAt(2, 32)], 'the picture is higher than wide').toEqual([255, 0]);
  });

  test('has the format of its content, whatever the file is called', async () => {
    const bytes = await picture('png');
    const named = new File([bytes], 'report.pdf', { type: 'application/pdf' });
    expect((await shown(chat, (await added(named)).source_url)).headers.get('content-type')).toBe('image/png');
  });
});

describe('uploads that fail', () => {
  test.each([
    ['nothing', blob('')],
    ['text', blob('not a picture')],
    ['a page', new File(['<html><script>alert(1)</script></html>'], 'a.png', { type: 'image/png' })],
    [
      'SVG',
      new File(['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'], 'a.svg', { type: 'image/svg+xml' }),
    ],
    ['a PNG head and nothing else', blob(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))],
    ['a GIF head and noise', blob(`GIF89a${'noise'.repeat(100)}`)],
  ])('%s', async (_case, file) => {
    await expectError('BAD_REQUEST', upload(file), NOT_A_PICTURE);
  });

  test('a picture in an unsupported format', async () => {
    const tiff = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .tiff()
      .toBuffer();
    await expectError('BAD_REQUEST', upload(blob(tiff)), NOT_A_PICTURE);
  });

  test.each<Format>(['png', 'jpeg', 'gif', 'webp'])('a truncated %s', async (format) => {
    const noise = await sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: 'red',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .toFormat(format)
      .toBuffer();
    await expectError('BAD_REQUEST', upload(blob(noise.subarray(0, noise.length / 2))), NOT_A_PICTURE);
  });

  test('a small file that decodes to a huge picture', async () => {
    const bomb = await sharp({
      create: { width: 12_000, height: 12_000, channels: 3, background: 'red' },
      limitInputPixels: false,
    })
      .png({ compressionLevel: 9 })
      .toBuffer();
    expect(bomb.length).toBeLessThan(5 * 1024 * 1024);
    await expectError('BAD_REQUEST', upload(blob(bomb)), /^file: .*pixels/);
  });

  test('a picture with too many frames', async () => {
    const colors = Array.from({ length: 201 }, (_, n) => (n % 2 ? 'red' : 'blue'));
    await expectError('BAD_REQUEST', upload(await moving('gif', colors)), /^file: .*200 frames/);
  });

  test('a file over 5 MiB, with the parameter and the limit in the error', async () => {
    await expectError('BAD_REQUEST', upload(blob(new Uint8Array(5 * 1024 * 1024 + 1))), /"file".*5 MiB/);
    await expectError('BAD_REQUEST', upload(blob(new Uint8Array(7 * 1024 * 1024))), /"file".*5 MiB/);
  });

  test('and a valid picture succeeds afterwards', async () => {
    expect(await added(await picture())).toMatchObject({ deactivated: false });
  });
});

describe('the URL of a picture', () => {
  test('needs no login, can be cached, and executes no content', async () => {
    const { source_url } = await added(await picture());
    const answer = await shown(chat, source_url);
    expectPicture(answer);
    const head = await shown(chat, source_url, { method: 'HEAD' });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers.get('content-length')).toBe(answer.headers.get('content-length'));
  });

  test('still returns an emoji that was removed', async () => {
    const item = await added(await picture());
    await ada.api.deactivateCustomEmoji({ name: item.name });
    expect((await shown(chat, item.source_url)).status).toBe(200);
  });

  test('returns 404 for one of another organization', async () => {
    const item = await added(await moving('gif'));
    const { realm } = await chat.otherRealm('afar');
    for (const path of [item.source_url, item.still_url ?? '']) {
      expect((await shown(chat, path, {}, realm)).status).toBe(404);
      expect((await shown(chat, path, {}, { ...realm, host: 'nowhere.localhost' })).status).toBe(404);
    }
  });

  test.each([
    '/emoji/0',
    '/emoji/999999',
    '/emoji/1x',
    '/emoji/-1',
    '/emoji/parley/still',
    '/emoji/%00',
    '/emoji/9999999999999999',
  ])('returns 404 in the response envelope when there is no picture: %s', (path) => expectNothing(chat, path));

  test('the server has a picture for its own emoji', async () => {
    const { status, headers, bytes } = await shown(chat, '/emoji/parley');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(bytes.toString()).toMatch(/^<svg /);
  });
});
