// Pictures to upload, made on the spot.
import sharp from 'sharp';

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
