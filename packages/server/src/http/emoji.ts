import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { App } from '../app.ts';
import { refuse } from '../core/errors.ts';
import { extraPicture, findPictures } from '../features/emoji/index.ts';
import { subdomainOf } from '../features/realm/index.ts';

const DAY = 24 * 3600;
const YEAR = 365 * DAY;

/**
 * The pictures of emoji, by their codes. No login is asked for: browsers load the pictures of a message without one. The
 * organization follows from the host as it does for the API, and what is not found there says nothing of others.
 */
export function emojiPictures(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/emoji/:code', async (req, res) => {
    const { code } = req.params;
    const extra = Object.entries(extraPicture).find(([name]) => name === code)?.[1];
    if (extra !== undefined) return send(res, 'image/svg+xml', Buffer.from(extra), DAY);
    const { image_type, image } = await picturesOf(app, req, code);
    send(res, image_type, image, YEAR);
  });
  router.get('/emoji/:code/still', async (req, res) => {
    const { still } = await picturesOf(app, req, req.params.code);
    send(res, 'image/png', still ?? nothing(), YEAR);
  });
  return router;
}

async function picturesOf(app: App, req: Request, code: string) {
  const subdomain = subdomainOf(req.headers.host, app.place.base_domain);
  if (subdomain === undefined || !/^[1-9]\d{0,15}$/.test(code)) return nothing();
  return (await findPictures(app.database.db, subdomain, Number(code))) ?? nothing();
}

const nothing = (): never => refuse('NOT_FOUND', 'There is nothing at this address.');

/** Somebody sent these bytes: whatever a browser finds in them, it is to be a picture of this type and can run nothing. */
function send(res: Response, type: string, bytes: Uint8Array, seconds: number): void {
  res
    .setHeader('Content-Type', type)
    .setHeader('X-Content-Type-Options', 'nosniff')
    .setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
    .setHeader('Content-Disposition', 'inline')
    .setHeader('Cache-Control', `public, max-age=${seconds}${seconds === YEAR ? ', immutable' : ''}`)
    .send(Buffer.from(bytes));
}
