import { operations } from '@parley/openapi';
import express, { type Express, type Request, type RequestHandler } from 'express';
import type { App } from '../app.ts';
import type { OperationId } from '../core/contract.ts';
import { fail } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { serveAvatarPictures } from './avatars.ts';
import { FormFields, readBody } from './body.ts';
import { beginCall, findCall, getCall, getCallOwner } from './call.ts';
import { createConfirmationPages } from './confirm.ts';
import { allowOrigins } from './cross-origin.ts';
import { decode } from './decode.ts';
import { createDeferredResponder } from './deferred-response.ts';
import { dispatch } from './dispatch.ts';
import { serveEmojiPictures } from './emoji.ts';
import { envelope } from './envelope.ts';
import { createErrorHandler, requireServableSchema } from './error-responses.ts';
import { lastEventId, streamEvents, wantsStream } from './event-stream.ts';
import { serveFiles } from './files.ts';
import { createOAuthRoutes } from './oauth/index.ts';
import { hasTooManyPairs, parsePairs } from './parse-pairs.ts';
import { REQUEST_ID, setRequestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';
import { createSignInPages } from './sign-in.ts';
import { limitToToken } from './token-limits.ts';
import { limitUnreadResponses } from './unread-responses.ts';
import { createResponseValidation, validateParams } from './validate.ts';

const PREFIX = '/api/v1';

/** The HTTP interface of the API: every operation of the document at its path, and errors in the documented shape. */
export function createServer(app: App, outside: readonly RequestHandler[] = []): Express {
  const server = express();
  server.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  server.set('query parser', false).set('trust proxy', app.trustProxy);
  const layers = [setRequestId, securityHeaders, allowOrigins(app), limitUnreadResponses(app), ...outside];
  for (const layer of layers) server.use(layer);
  server.use(
    envelope(app),
    logged(app),
    requireServableSchema(app),
    serveEmojiPictures(app),
    serveAvatarPictures(app),
    serveFiles(app),
  );
  server.use(createConfirmationPages(app), createSignInPages(app), createOAuthRoutes(app));
  for (const [path, byMethod] of routes()) {
    // On the route, not on the server: there Express would register every step once for each of Node's 35 methods.
    server.route(PREFIX + path.replaceAll(/{(\w+)}/g, ':$1')).all(choose(byMethod), ...steps(app));
  }
  server.use(() => fail('NOT_FOUND', 'There is nothing at this address.'));
  server.use(createErrorHandler(app.log, app.schema));
  return server;
}

type ByMethod = Map<string, OperationId>;

/** Operations by path; the table has literal paths before those with parameters. */
function routes(): Map<string, ByMethod> {
  const found = new Map<string, ByMethod>();
  for (const id of Object.keys(operations) as OperationId[]) {
    const { path, method } = operations[id];
    const byMethod = found.get(path) ?? new Map<string, OperationId>();
    found.set(path, byMethod.set(method.toUpperCase(), id));
  }
  return found;
}

function choose(byMethod: ByMethod): RequestHandler {
  const verbs = [...byMethod.keys()].flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])).sort();
  return (req, res, next) => {
    if (req.method === 'OPTIONS')
      return void res
        .status(204)
        .setHeader('Allow', [...verbs, 'OPTIONS'].join(', '))
        .end();
    const id = byMethod.get(req.method === 'HEAD' ? 'GET' : req.method);
    if (!id) fail('METHOD_NOT_ALLOWED', `${req.method} is not possible here.`, { allowed_methods: verbs });
    const path = req.params as Record<string, string>;
    const isStream = operations[id].streams && wantsStream(req);
    beginCall(req, { id, started: performance.now(), path, isStream, caller: undefined, ignored: [], params: {} });
    if (hasTooManyPairs(queryOf(req))) {
      fail('BAD_REQUEST', `The address can have at most ${bounds.fields} query parameters.`);
    }
    if (!plainIds(id, path)) fail('NOT_FOUND', 'There is nothing at this address.');
    // Node drops the body of a response to HEAD; everything before is as for GET.
    if (req.method === 'HEAD') req.method = 'GET';
    next();
  };
}

function plainIds(id: OperationId, path: Record<string, string>): boolean {
  const params: Record<string, { kinds: readonly string[] }> = operations[id].params;
  return Object.entries(path).every(([name, text]) => params[name]?.kinds.includes('string') || /^\d+$/.test(text));
}

function steps(app: App): RequestHandler[] {
  const response = createResponseValidation(app);
  return [
    response,
    authenticateRequest(app),
    readBody(app),
    decoded,
    validateParams,
    limitToToken,
    dispatch(app, createDeferredResponder(app, response), streamEvents(app)),
  ];
}

const decoded: RequestHandler = (req, _res, next) => {
  const call = getCall(req);
  const body: unknown = req.body ?? {};
  if (Array.isArray(body) || typeof body !== 'object' || body === null)
    fail('INVALID_JSON', 'The body must be one JSON object.');
  const { params, ignored } = decode(call.id, {
    path: call.path,
    query: [...parsePairs(queryOf(req)), ...(call.isStream ? lastEventId(req) : [])],
    body: body instanceof FormFields ? body.pairs : (body as Record<string, unknown>),
  });
  call.params = params;
  call.ignored = ignored;
  next();
};

function queryOf(req: Request): string {
  const at = req.originalUrl.indexOf('?');
  return at < 0 ? '' : req.originalUrl.slice(at + 1);
}

/** Logs one line for each request: operation, status, caller, duration. Never content, keys or query strings. */
function logged(app: App): RequestHandler {
  return (req, res, next) => {
    const started = performance.now();
    res.on('finish', () => {
      const call = findCall(req);
      app.log.info(
        {
          request_id: res.getHeader(REQUEST_ID),
          operation: call?.id,
          status: res.statusCode,
          code: res.locals.code,
          ...(call && getCallOwner(call)),
          ms: Math.round(performance.now() - started),
        },
        'request',
      );
    });
    next();
  };
}
