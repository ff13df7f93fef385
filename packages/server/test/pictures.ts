// Pictures to upload, created by the tests, and pictures that the server returns.
import sharp from 'sharp';
import { expect } from 'vitest';
import type { Chat } from './chat.ts';

const plain = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 4, background } });

export type Format = 'png' | 'jpeg' | 'gif' | 'webp';

/** A picture of one colour. */
export async function picture(
  format: Format = 'png',
  { width = 100, height = 40, color = 'tomato' } = {},
): Promise<Blob> {
  return blob(await plain(width, height, color).toFormat(format).toBuffer());
}

/** An animated picture, with a frame for each colour. */
export async function moving(
  format: 'gif' | 'webp',
  colors: readonly string[] = ['red', 'blue', 'green'],
): Promise<Blob> {
  const frames = await Promise.all(colors.map((color) => plain(100, 40, color).png().toBuffer()));
  const joined = sharp(frames, { join: { animated: true } });
  return blob(await joined.toFormat(format, { delay: colors.map(() => 100) }).toBuffer());
}

export const blob = (bytes: string | Uint8Array): Blob =>
  new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]);

/** The errors of uploads that are no pictures. */
export const NOT_A_PICTURE = /^file: .*not a PNG, JPEG, GIF or WebP/;

/** The response at a path of the server, without a login. */
export async function shown(chat: Chat, path: string, init: RequestInit = {}, realm = chat.realm) {
  const answer = await chat.fetch(path, init, realm);
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** The picture can be cached for good, and nothing in it is executed. */
export function expectPicture({ status, headers }: { status: number; headers: Headers }): void {
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-disposition': 'inline',
    'cache-control': 'public, max-age=31536000, immutable',
  });
}

/** A 404 in the response envelope. */
export async function expectNothing(chat: Chat, path: string): Promise<void> {
  const { status, bytes } = await shown(chat, path);
  expect(status).toBe(404);
  expect(JSON.parse(bytes.toString())).toMatchObject({ result: 'error', code: 'NOT_FOUND' });
}
