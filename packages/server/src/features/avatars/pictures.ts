import type { User } from '../../core/context.ts';
import { type Open, PICTURE_TIMEOUT_MS, readPicture } from '../../pictures/read.ts';

const SMALL = 100;
const MEDIUM = 500;

/** The stored form of the image: only the pixels of a square, in two sizes. */
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

/** Without `animated`, only the first frame is read. */
function square(open: Open, size: number): Promise<Buffer> {
  const picture = open().autoOrient().resize(size, size, { fit: 'cover' });
  return picture.timeout({ seconds: PICTURE_TIMEOUT_MS }).png().toBuffer();
}
