import { operations } from '@parley/openapi';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { App } from '../app.ts';
import type { OperationId } from '../core/contract.ts';
import { fail, failInvalid } from '../core/errors.ts';
import { bounds } from '../core/limits.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { serveAvatarPictures } from './avatars.ts';
import { FormFields, readBody } from './body.ts';
import { beginCall, findCall, getCall, getCallOwner } from './call.ts';
import { createConfirmationPages } from './confirm.ts';
import { continuePolls } from './continued-polls.ts';
import { allowOrigins } from './cross-origin.ts';
import { decode } from './decode.ts';
import { createDeferredResponder } from './deferred-response.ts';
import { dispatch } from './dispatch.ts';
import { serveEmojiPictures } from './emoji.ts';
import { envelope } from './envelope.ts';
import { createErrorHandler, requireServableSchema } from './error-responses.ts';
import { acceptsEventStream, lastEventId, streamEvents } from './event-stream.ts';
import { serveFiles } from './files.ts';
import { createOAuthRoutes } from './oauth/index.ts';
import { hasTooManyPairs, parsePairs } from './parse-pairs.ts';
import { PathTable } from './path-table.ts';
import { boundPreferences } from './preferences.ts';
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
  const layers = [
    setRequestId,
    boundPreferences,
    securityHeaders,
    allowOrigins(app),
    limitUnreadResponses(app),
    ...outside,
  ];
  for (const layer of layers) server.use(layer);
  server.use(envelope(app), logged(app), requireServableSchema(app), serveOperations(app));
  server.use(serveEmojiPictures(app), serveAvatarPictures(app), serveFiles(app));
  server.use(createConfirmationPages(app), createSignInPages(app), createOAuthRoutes(app));
  server.use(() => fail('NOT_FOUND', 'There is nothing at this address.'));
  server.use(createErrorHandler(app.log, app.schema));
  return server;
}

/**
 * Serves the operations of the document, in one layer: between two layers of a router, and after each router that has nothing for a
 * request, Express looks for the next one, or waits for the next turn of the event loop.
 */
function serveOperations(app: App): RequestHandler {
  const table = new PathTable([...operationsByPath()].map(([path, byMethod]) => [PREFIX + path, chooseFrom(byMethod)]));
  const serve = inTurn(steps(app));
  return (req, res, next) => {
    const found = table.find(req.path);
    if (!found) next();
    else if (found.value(req, res, found.params)) serve(req, res, next);
  };
}

/** Runs the steps of a request one after another, as a route of Express does. The last one responds. */
function inTurn(all: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    const run = (n: number): void => {
      try {
        const running = all[n]?.(req, res, (error?: unknown) => (error === undefined ? run(n + 1) : next(error)));
        if (running instanceof Promise) running.catch(next);
      } catch (error) {
        next(error);
      }
    };
    run(0);
  };
}

type ByMethod = Map<string, OperationId>;

/** Operations by path; the table has literal paths before those with parameters. */
function operationsByPath(): Map<string, ByMethod> {
  const found = new Map<string, ByMethod>();
  for (const id of Object.keys(operations) as OperationId[]) {
    const { path, method } = operations[id];
    const byMethod = found.get(path) ?? new Map<string, OperationId>();
    found.set(path, byMethod.set(method.toUpperCase(), id));
  }
  return found;
}

/** Begins the call of an operation; false for a request that has its response already. */
function chooseFrom(byMethod: ByMethod) {
  const verbs = [...byMethod.keys()].flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])).sort();
  return (req: Request, res: Response, path: Record<string, string>): boolean => {
    if (req.method === 'OPTIONS') {
      res
        .status(204)
        .setHeader('Allow', [...verbs, 'OPTIONS'].join(', '))
        .end();
      return false;
    }
    const id = byMethod.get(req.method === 'HEAD' ? 'GET' : req.method);
    if (!id) fail('METHOD_NOT_ALLOWED', `${req.method} is not possible here.`, { allowed_methods: verbs });
    const isStream = operations[id].streams && acceptsEventStream(req);
    beginCall(req, { id, started: performance.now(), path, isStream, caller: undefined, ignored: [], params: {} });
    if (hasTooManyPairs(queryOf(req))) {
      failInvalid(`The address can have at most ${bounds.fields} query parameters.`);
    }
    if (!plainIds(id, path)) fail('NOT_FOUND', 'There is nothing at this address.');
    // Node drops the body of a response to HEAD; everything before is as for GET.
    if (req.method === 'HEAD') req.method = 'GET';
    return true;
  };
}

function plainIds(id: OperationId, path: Record<string, string>): boolean {
  const params: Record<string, { kinds: readonly string[] }> = operations[id].params;
  return Object.entries(path).every(([name, text]) => params[name]?.kinds.includes('string') || /^\d+$/.test(text));
}

function steps(app: App): RequestHandler[] {
  const response = createResponseValidation(app);
  const respondLater = createDeferredResponder(app, response);
  return [
    response,
    continuePolls(app, respondLater),
    authenticateRequest(app),
    readBody(app),
    decoded,
    validateParams,
    limitToToken,
    dispatch(app, respondLater, streamEvents(app)),
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
