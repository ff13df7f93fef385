// Decodes images from users within limits: the library could do much more than that.
import type { Sharp, SharpOptions } from 'sharp';
import type { User } from '../core/context.ts';
import { failInvalid } from '../core/errors.ts';
import { FairQueue } from '../core/fair-queue.ts';

/** For all frames together: a small file can decode to a huge image. */
const MOST_PIXELS = 32 * 1024 * 1024;
const MOST_FRAMES = 200;
/** Seconds that the work on one picture may take. */
export const PICTURE_TIMEOUT_MS = 10;
const queue = new FairQueue({
  running: 2,
  waiting: 20,
  errorMessage: 'The server is working on too many pictures.',
});

const NOT_A_PICTURE = 'file: this is not a PNG, JPEG, GIF or WebP picture, or it is damaged.';

/** Opens the image anew for each result. */
export type Open = (options?: SharpOptions) => Sharp;

/**
 * Decodes an image, or fails: every error of the library is reported as an error of the file. Accounts take turns, so
 * the images of one account wait for each other.
 */
export async function readPicture<T>(
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
  file: Uint8Array,
  make: (open: Open, frames: number) => Promise<T>,
): Promise<T> {
  return queue.run(`${realm_id}:${id}`, async () => {
    const open = await opener(file);
    const frames = await framesOf(open);
    return requireReadable(() => make(open, frames));
  });
}

let prepared: Promise<typeof import('sharp').default> | undefined;

async function opener(file: Uint8Array): Promise<Open> {
  // Loaded on first use: it is native code, and most processes never decode an image.
  prepared ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    // The library supports many other formats, some of which can reference files and URLs.
    const readers = ['Png', 'Jpeg', 'Nsgif', 'Webp'].map((format) => `VipsForeignLoad${format}Buffer`);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: readers });
    return sharp;
  });
  const sharp = await prepared;
  return (options) => sharp(file, { failOn: 'error', limitInputPixels: MOST_PIXELS, ...options });
}

/** The number of frames in the image's header. Fails if the header declares more than can be processed. */
async function framesOf(open: Open): Promise<number> {
  const header = await requireReadable(() => open({ animated: true, limitInputPixels: false }).metadata());
  const { width, height, pages = 1 } = header;
  if (width * height > MOST_PIXELS || pages > MOST_FRAMES) {
    failInvalid(`file: a picture has at most ${MOST_PIXELS} pixels and ${MOST_FRAMES} frames.`);
  }
  return pages;
}

async function requireReadable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    return failInvalid(NOT_A_PICTURE);
  }
}
