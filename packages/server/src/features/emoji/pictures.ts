import type { Sharp } from 'sharp';
import type { User } from '../../core/context.ts';
import { type Open, PICTURE_TIMEOUT_MS, readPicture } from '../../pictures/read.ts';
import type { Pictures } from './queries.ts';

const SIZE = 64;

/** The stored form of an uploaded image: 64 by 64 pixels without metadata. Animations stay animated. */
export function renderEmojiPictures(by: Pick<User, 'realm_id' | 'id'>, file: Uint8Array): Promise<Pictures> {
  return readPicture(by, file, (open, frames) => (frames > 1 ? moving(open) : renderStill(open)));
}

async function renderStill(open: Open): Promise<Pictures> {
  return { image: await fitted(open().autoOrient()).png().toBuffer(), image_type: 'image/png', still: null };
}

async function moving(open: Open): Promise<Pictures> {
  const { data, info } = await fitted(open({ animated: true })).toBuffer({ resolveWithObject: true });
  return { image: data, image_type: `image/${info.format}`, still: await fitted(open()).png().toBuffer() };
}

function fitted(picture: Sharp): Sharp {
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  return picture.resize(SIZE, SIZE, { fit: 'contain', background }).timeout({ seconds: PICTURE_TIMEOUT_MS });
}
