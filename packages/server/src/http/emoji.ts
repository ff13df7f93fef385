import { type Request, type RequestHandler, Router } from 'express';
import type { App } from '../app.ts';
import { emojiData, extraPictures, findPictures } from '../features/emoji/index.ts';
import { parseSubdomain } from '../features/realm/index.ts';
import { inTurn } from './admission/index.ts';
import { sendNoPicture, sendPicture } from './picture-response.ts';

const DAY = 24 * 3600;
const YEAR = 365 * DAY;

/**
 * The images of emoji, by their codes, and the names of Unicode emoji. They need no login: browsers load the images of
 * a message without credentials. The organization follows from the host as for the API, and an unknown path reveals
 * nothing about other organizations.
 */
export function serveEmojiPictures(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/emoji/:code', async (req, res) => {
    const { code } = req.params;
    const extra = Object.entries(extraPictures).find(([name]) => name === code)?.[1];
    if (extra !== undefined)
      return sendPicture(app, res, { type: 'image/svg+xml', bytes: Buffer.from(extra), seconds: DAY });
    const found = await picturesOf(app, req, code);
    if (!found) return sendNoPicture(app, req, res);
    sendPicture(app, res, { type: found.image_type, bytes: found.image, seconds: YEAR, key: code });
  });
  router.get('/emoji/data/:name', (req, res) => {
    const { key, bytes } = emojiData();
    // During a rolling restart a client may know the path of another version: it gets the names of this one.
    const isCurrent = req.params.name === `${key}.json`;
    if (!isCurrent && !/^[0-9a-f]{16}\.json$/.test(req.params.name)) return sendNoPicture(app, req, res);
    sendPicture(app, res, { type: 'application/json', bytes, seconds: isCurrent ? YEAR : 0, key });
  });
  router.get('/emoji/:code/still', async (req, res) => {
    const { code } = req.params;
    const still = (await picturesOf(app, req, code))?.still;
    if (!still) return sendNoPicture(app, req, res);
    sendPicture(app, res, { type: 'image/png', bytes: still, seconds: YEAR, key: `${code}/still` });
  });
  return router;
}

async function picturesOf(app: App, req: Request, code: string) {
  const subdomain = parseSubdomain(req.headers.host, app.serverAddress.base_domain);
  if (subdomain === undefined || !/^[1-9]\d{0,15}$/.test(code)) return undefined;
  return inTurn(app.admission, req, () => findPictures(app.database.db, subdomain, Number(code)));
}
