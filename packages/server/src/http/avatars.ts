import { type RequestHandler, Router } from 'express';
import type { App } from '../app.ts';
import { refuse } from '../core/errors.ts';
import { findPicture } from '../features/avatars/index.ts';
import { subdomainOf } from '../features/realm/index.ts';
import { sendPicture } from './picture-answer.ts';

const YEAR = 365 * 24 * 3600;

/** Avatars that are people's own, by keys that nobody can guess: browsers load them without credentials. */
export function avatarPictures(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(['/user_avatars/:key', '/user_avatars/:key/:size'], async (req, res) => {
    const { key = '', size } = req.params as { key?: string; size?: string };
    const subdomain = subdomainOf(req.headers.host, app.place.base_domain);
    if (subdomain === undefined || (size !== undefined && size !== 'medium')) return nothing();
    if (!/^[0-9a-f-]{36}$/.test(key) || !/^[\x20-\x7e]*$/.test(subdomain)) return nothing();
    const found = await findPicture(app.database.db, { subdomain, key, size: size ?? 'small' });
    sendPicture(res, found ? { type: 'image/png', bytes: found, seconds: YEAR } : nothing());
  });
  return router;
}

const nothing = (): never => refuse('NOT_FOUND', 'There is nothing at this address.');
