// What a server offers outside of its API: health, the document, the API reference, pictures.
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { documentFile, documentYamlFile } from '@parley/openapi';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import compressedStatic from 'express-static-gzip';
import type { App } from '../app.ts';
import { parseSubdomain, type ServerAddress } from '../features/realm/index.ts';
import type { DemoAccount } from '../features/user-admin/index.ts';
import { serveDecompressed } from './decompressed.ts';
import { serveDocument } from './document.ts';
import { serveMarkdown } from './markdown-pages.ts';
import { picture } from './picture.ts';
import { type Health, Readiness } from './readiness.ts';
import { endIfUnread } from './unread-responses.ts';
import { createWelcomePage } from './welcome.ts';

export interface ServiceOptions {
  readonly app: App;
  readonly health: Health;
  /** Whether /docs is served. */
  readonly docs: boolean;
  /** The users that /docs offers to act as in one click: those of the demo organization, where there is one. */
  readonly demo?: () => Promise<readonly DemoAccount[]>;
}

/** The built documentation, in a clone or in the published package. */
const DOCS = [
  fileURLToPath(new URL('../../../../apps/docs/dist', import.meta.url)),
  fileURLToPath(new URL('../../docs', import.meta.url)),
].find((folder) => existsSync(folder));
/** Operations, which are none of these. */
const API = '/api/v1/';
const MONTH = 30 * 24 * 3600;
/** Assets of the pages; their file names contain hashes of their content. */
const PARTS = `${DOCS}/_astro/`;
// Pages can load only what this server serves, and injected content cannot run scripts.
const PAGE_POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The middleware that runs before the API. */
export function serviceLayers({ app, health, docs, demo = async () => [] }: ServiceOptions): RequestHandler[] {
  const router = Router({ caseSensitive: true });
  const readiness = new Readiness(app, health);
  router.get('/livez', (_req, res) => json(res, 200, { status: 'alive' }));
  router.get('/readyz', async (_req, res) => {
    const report = await readiness.report();
    json(res, report.status === 'ready' ? 200 : 503, report);
  });
  router.get('/openapi.json', serveDocument(app.serverAddress, 'application/json', documentFile));
  router.get('/openapi.yaml', serveDocument(app.serverAddress, 'application/yaml', documentYamlFile));
  router.get(['/avatar/:id', '/icon/:id'], (req, res, next) => {
    const id = req.params.id as string;
    if (!/^\d{1,16}$/.test(id)) return next();
    sendPicture(res, picture(req.path.startsWith('/avatar') ? 'avatar' : 'icon', id));
  });
  const demoUsers = async (host: string | undefined) => (isDemo(app, host) ? await demo() : []);
  router.get('/', createWelcomePage({ app, docs, demoUsers }));
  if (docs) {
    router.get('/docs/demo.json', async (req, res) => json(res, 200, { users: await demoUsers(req.headers.host) }));
    router.use('/docs', endUnread(app), ...reference(app.serverAddress));
  }
  // A router that has nothing for a request waits for the next turn of the event loop before it says so.
  return [(req, res, next) => (req.url.startsWith(API) ? next() : router(req, res, next))];
}

/** Other host names, such as a foreign name that resolves to this server, must not get credentials of users. */
const isDemo = ({ serverAddress }: App, host: string | undefined): boolean =>
  parseSubdomain(host, serverAddress.base_domain) === '';

function json(res: Response, status: number, body: object): void {
  res
    .status(status)
    .setHeader('Cache-Control', 'no-store')
    .type('application/json')
    .send(`${JSON.stringify(body)}\n`);
}

function sendPicture(res: Response, svg: string): void {
  res
    .setHeader('Cache-Control', `public, max-age=${MONTH}, immutable`)
    .setHeader('Content-Security-Policy', "default-src 'none'")
    .type('image/svg+xml')
    .send(svg);
}

/** A file is sent as fast as its client reads it, which may be never. */
function endUnread({ idleTimeoutMs }: App): RequestHandler {
  return (_req, res, next) => {
    endIfUnread(res, idleTimeoutMs);
    next();
  };
}

function reference(serverAddress: ServerAddress): RequestHandler[] {
  if (DOCS === undefined) {
    return [(_req, res) => json(res, 404, { reason: 'The API reference was not built: npm run build makes it.' })];
  }
  const pages = [
    serveMarkdown(DOCS, serverAddress, setPageHeaders),
    serveDecompressed(DOCS, setPageHeaders),
    compressedStatic(DOCS, { serveStatic: { extensions: ['html'], setHeaders: setPageHeaders } }),
  ];
  return [...pages, toNoSuchPage, ...pages];
}

function setPageHeaders(res: ServerResponse, path: string): void {
  if (path.startsWith(PARTS)) res.setHeader('Cache-Control', `public, max-age=${12 * MONTH}, immutable`);
  res.setHeader('Content-Security-Policy', PAGE_POLICY);
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
}

/** Browsers get a page with links; programs get the error response as everywhere. */
const toNoSuchPage: RequestHandler = (req, res, next) => {
  if (!isBrowser(req)) return next('router');
  res.status(404);
  req.url = '/404.html';
  next();
};

/** Programs accept anything, or JSON; browsers accept HTML. */
const isBrowser = (req: Request): boolean =>
  ['GET', 'HEAD'].includes(req.method) && req.accepts(['json', 'html']) === 'html';
