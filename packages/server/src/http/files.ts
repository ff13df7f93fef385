// Uploaded files at their own URLs: bytes instead of the JSON of the API, for users who can read them.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { App } from '../app.ts';
import { fail } from '../core/errors.ts';
import { type Caller, withoutTransaction } from '../core/transaction.ts';
import { findRealmBySubdomain, parseSubdomain, presentRealm } from '../features/realm/index.ts';
import { findFile, isShownInline, parseTicket, readPieces, type StoredUpload } from '../features/uploads/index.ts';
import { listUsersByIds } from '../features/users/index.ts';
import { endTurn, inTurn } from './admission/index.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { onResponseEnd, toAccountOwner } from './byte-quota.ts';
import { beginCall, getCaller } from './call.ts';
import { clientName } from './client-name.ts';
import { countRequest } from './rate-limit.ts';
import { endIfUnread } from './unread-responses.ts';

export function serveFiles(app: App): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/user_uploads/temporary/:token/:name', async (req, res) => {
    const requested = await inTurn(app.admission, req, async () => {
      const { caller, key, name } = await holderOf(app, req, res, req.params.token);
      if (name !== req.params.name) return nothing();
      return requireFile(app, caller, { realm_id: caller.realm.id, upload_key: key, file_name: name });
    });
    await serve(app, req, res, requested);
  });
  // An API caller who can request the URL of the file can get the file: the same credentials, limits and roles apply.
  router.get(
    '/user_uploads/:realm_id/:upload_key/:file_name',
    asOperation,
    authenticateRequest(app),
    async (req, res) => {
      const { realm_id, upload_key, file_name } = req.params as Record<'realm_id' | 'upload_key' | 'file_name', string>;
      const address = { realm_id: /^\d{1,15}$/.test(realm_id) ? Number(realm_id) : 0, upload_key, file_name };
      const requested = await requireFile(app, getCaller(req), address);
      // A slow client must not hold a slot among the requests in progress.
      endTurn(req);
      await serve(app, req, res, requested);
    },
  );
  return router;
}

const nothing = (): never => fail('NOT_FOUND', 'There is nothing at this address.');

const asOperation: RequestHandler = (req, _res, next) => {
  beginCall(req, {
    id: 'getFileUrl',
    started: performance.now(),
    path: {},
    caller: undefined,
    ignored: [],
    params: {},
  });
  next();
};

/** The user of a temporary URL. Their access is checked again: it may have changed within the minute. */
async function holderOf(app: App, req: Request, res: Response, token: string) {
  const subdomain = parseSubdomain(req.headers.host, app.serverAddress.base_domain);
  const row = subdomain === undefined ? undefined : await findRealmBySubdomain(app.database.db, subdomain);
  const ticket = row && parseTicket(app.server, row, token, app.clock());
  if (!ticket || row.id !== ticket.realm_id || row.deactivated_at !== null) {
    await countRequest(app, res, { ip: req.ip, counter: 'failures' });
    return nothing();
  }
  const [me] = await listUsersByIds(app.database.db, row.id, [ticket.user_id]);
  if (!me?.is_active) return nothing();
  await countRequest(app, res, { user: me, bucket: 'account' });
  const caller = { realm: presentRealm(app.serverAddress, row), me, client: clientName(req.headers['user-agent']) };
  return { caller, key: ticket.key, name: ticket.name };
}

interface RequestedFile {
  readonly caller: Caller;
  readonly file: StoredUpload;
}

type FileAddress = Parameters<typeof findFile>[1];

async function requireFile(app: App, caller: Caller, address: FileAddress): Promise<RequestedFile> {
  return { caller, file: (await withoutTransaction(app, caller, (ctx) => findFile(ctx, address))) ?? nothing() };
}

async function serve(app: App, req: Request, res: Response, { caller, file }: RequestedFile): Promise<void> {
  res.setHeader('ETag', `"${file.key}"`);
  if (req.method !== 'HEAD' && !req.fresh) countDownload(app, res, caller);
  describe(res, file);
  // The response can be cached only by the user's browser, and shown again only after revalidation.
  if (req.fresh) return void res.status(304).end();
  const part = partOf(req, file.size);
  if (part === 'none') return void res.status(416).setHeader('Content-Range', `bytes */${file.size}`).end();
  const { from, to } = part ?? { from: 0, to: file.size - 1 };
  if (part) res.status(206).setHeader('Content-Range', `bytes ${from}-${to}/${file.size}`);
  res.setHeader('Content-Length', to - from + 1);
  if (req.method === 'HEAD') return void res.end();
  // What was read for a client that does not read it stays in memory.
  endIfUnread(res, app.idleTimeoutMs);
  await pipeline(Readable.from(readPieces(app.database.db, file, from, to), { objectMode: false }), res);
}

/** Counts the files that are being sent to an account, and fails when these are too many. */
function countDownload({ downloads }: App, res: Response, { me }: Caller): void {
  if (!me || downloads.reserve(toAccountOwner(me), 1) !== undefined) {
    res.removeHeader('ETag');
    fail('RATE_LIMIT_HIT', 'Too many files are being sent to you. Try again when you have read some.', {
      'retry-after': 5,
    });
  }
  onResponseEnd(res.req, () => downloads.release(toAccountOwner(me), 1));
}

/** The requested byte range: undefined for the whole file, also when several ranges are requested. */
function partOf(req: Request, size: number): { from: number; to: number } | 'none' | undefined {
  const ranges = req.range(size, { combine: true });
  if (ranges === -1) return 'none';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0] && { from: ranges[0].start, to: ranges[0].end };
}

/** A user uploaded these bytes: a browser must take them for this type, and run nothing in them. */
function describe(res: Response, { name, content_type }: StoredUpload): void {
  res
    .attachment(name)
    .setHeader('Content-Type', content_type)
    .setHeader('Content-Security-Policy', policyOf(content_type))
    .setHeader('Cross-Origin-Resource-Policy', 'same-site')
    .setHeader('Referrer-Policy', 'no-referrer')
    .setHeader('Cache-Control', 'private, no-cache')
    .setHeader('Accept-Ranges', 'bytes');
  if (!isShownInline(content_type)) return;
  res.setHeader('Content-Disposition', String(res.getHeader('Content-Disposition')).replace(/^attachment/, 'inline'));
}

// Chromium shows no PDF in a sandbox; its viewer is a sandbox itself.
const policyOf = (content_type: string): string =>
  content_type === 'application/pdf'
    ? "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"
    : "sandbox; default-src 'none'";
