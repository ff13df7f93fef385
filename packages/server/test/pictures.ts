// Pictures to upload, made on the spot, and pictures as the server shows them.
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

/** A picture that moves, with a frame for each colour. */
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

/** How uploads are refused that are none. */
export const NOT_A_PICTURE = /^file: .*not a PNG, JPEG, GIF or WebP/;

/** What is at an address of the server; nobody logs in for it. */
export async function shown(chat: Chat, path: string, init: RequestInit = {}, realm = chat.realm) {
  const answer = await chat.fetch(path, init, realm);
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Anybody may keep the picture for good, and whatever is in it can run nothing. */
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

/** There is nothing, in the envelope of the API. */
export async function expectNothing(chat: Chat, path: string): Promise<void> {
  const { status, bytes } = await shown(chat, path);
  expect(status).toBe(404);
  expect(JSON.parse(bytes.toString())).toMatchObject({ result: 'error', code: 'NOT_FOUND' });
}
