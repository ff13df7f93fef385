import { type Request, type RequestHandler, Router } from 'express';
import type { App } from '../app.ts';
import { findPicture } from '../features/avatars/index.ts';
import { parseSubdomain } from '../features/realm/index.ts';
import { inTurn } from './admission/index.ts';
import { sendNoPicture, sendPicture } from './picture-response.ts';

const YEAR = 365 * 24 * 3600;

/** Uploaded avatars at unguessable keys: browsers load them without credentials. */
export function serveAvatarPictures(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(['/user_avatars/:key', '/user_avatars/:key/:size'], async (req, res) => {
    const { key = '', size } = req.params as { key?: string; size?: string };
    const bytes = await pictureOf(app, req, key, size);
    if (!bytes) return sendNoPicture(app, req, res);
    sendPicture(app, res, { type: 'image/png', bytes, seconds: YEAR, key: `${key}/${size ?? ''}` });
  });
  return router;
}

async function pictureOf(app: App, req: Request, key: string, size?: string): Promise<Uint8Array | undefined> {
  const subdomain = parseSubdomain(req.headers.host, app.serverAddress.base_domain);
  if (subdomain === undefined || (size !== undefined && size !== 'medium')) return undefined;
  if (!/^[0-9a-f-]{36}$/.test(key) || !/^[\x20-\x7e]*$/.test(subdomain)) return undefined;
  return inTurn(app.admission, req, () => findPicture(app.database.db, { subdomain, key, size: size ?? 'small' }));
}
