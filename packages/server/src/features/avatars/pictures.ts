import type { User } from '../../core/context.ts';
import { type Open, PICTURE_TIMEOUT_MS, readPicture } from '../../pictures/read.ts';

const SMALL = 100;
const MEDIUM = 500;

/** What is kept of the picture: nothing but the pixels of a square, in two sizes. */
export interface AvatarPictures {
  readonly image: Uint8Array;
  readonly medium: Uint8Array;
}

export function renderAvatarPictures(by: Pick<User, 'realm_id' | 'id'>, file: Uint8Array): Promise<AvatarPictures> {
  return readPicture(by, file, async (open) => ({
    image: await square(open, SMALL),
    medium: await square(open, MEDIUM),
  }));
}

/** Opened without `animated`, it is the first frame. */
function square(open: Open, size: number): Promise<Buffer> {
  const picture = open().autoOrient().resize(size, size, { fit: 'cover' });
  return picture.timeout({ seconds: PICTURE_TIMEOUT_MS }).png().toBuffer();
}
