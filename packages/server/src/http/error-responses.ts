import { findUnavailability, type Unavailability } from '@parley/db';
import { operations } from '@parley/openapi';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import { ApiError, createInvalidError, type ErrorCode, NotFoundError, toErrorContent } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { endTurn } from './admission/index.ts';
import { findCall, type OperationCall } from './call.ts';
import { getChallenge } from './challenge.ts';

/** The status of each code. A code added to the document without one does not compile. */
const statusOf: Record<ErrorCode, number> = {
  BAD_REQUEST: 400,
  REQUEST_VARIABLE_MISSING: 400,
  REQUEST_VARIABLE_INVALID: 400,
  REQUEST_CONFUSING_VAR: 400,
  INVALID_JSON: 400,
  UNAUTHORIZED: 401,
  INVALID_API_KEY: 401,
  INVALID_TOKEN: 401,
  INSUFFICIENT_SCOPE: 403,
  USER_DEACTIVATED: 401,
  REALM_DEACTIVATED: 401,
  AUTHENTICATION_FAILED: 401,
  PASSWORD_AUTH_DISABLED: 401,
  DIRECTORY_UNAVAILABLE: 503,
  UNAUTHORIZED_PRINCIPAL: 400,
  STREAM_DOES_NOT_EXIST: 400,
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: 400,
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: 400,
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: 400,
  REACTION_ALREADY_EXISTS: 400,
  REACTION_DOES_NOT_EXIST: 400,
  BAD_NARROW: 400,
  BAD_EVENT_QUEUE_ID: 400,
  CANNOT_DEACTIVATE_LAST_USER: 400,
  RATE_LIMIT_HIT: 429,
  NOT_FOUND: 404,
  NONEXISTENT_SUBDOMAIN: 404,
  METHOD_NOT_ALLOWED: 405,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

/** Sends the error response for a failure of any kind, in the documented envelope. */
export function createErrorHandler(log: Logger, schema?: App['schema']): ErrorRequestHandler {
  return async (error: unknown, req, res, _next) => {
    endTurn(req);
    if (res.headersSent) return void res.destroy();
    const broken = (cause: unknown) => {
      log.error({ operation: findCall(req)?.id, err: cause }, 'request failed');
      sendError(res, new ApiError('INTERNAL_SERVER_ERROR', 'The server could not do this. It has noted the failure.'));
    };
    const apiError = toApiError(error, findCall(req)) ?? (await findSchemaError(schema));
    if (!apiError) return broken(error);
    // An overload error comes too often to be logged twice.
    if (apiError.code === 'SERVICE_UNAVAILABLE' && apiError !== error) {
      log.warn({ operation: findCall(req)?.id, err: error }, 'request not served');
    }
    try {
      sendError(res, apiError);
    } catch (undocumented) {
      // The operation does not document this error; an internal server error is allowed everywhere.
      broken(undocumented);
    }
  };
}

/** Rejects requests while the database has a schema that this server is too old for. */
export function requireServableSchema({ schema }: Pick<App, 'schema'>): RequestHandler {
  return (_req, _res, next) => next(schema.conflict === undefined ? undefined : outdated());
}

/** A statement that fails for an unknown reason may need a schema that has changed. */
async function findSchemaError(schema: App['schema'] | undefined): Promise<ApiError | undefined> {
  const state = await schema?.look().catch(() => undefined);
  return state?.conflict === undefined ? undefined : outdated();
}

function toApiError(error: unknown, call: OperationCall | undefined): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const unavailability = findUnavailability(error);
  if (unavailability) return unavailable(unavailability);
  if (timedOut(error)) return call && !canRequestLess(call) ? tryAgain('The database took too long.') : tooMuch();
  // Express cannot decode a path such as /%ff.
  if (error instanceof URIError) return new ApiError('NOT_FOUND', 'There is nothing at this address.');
  return undefined;
}

const reasons: Record<Unavailability, string> = {
  away: 'The database is not available.',
  busy: 'The database is at its limit.',
  rolled_back: 'The database rolled the request back.',
  locked: 'The request waited too long for another one.',
};

/** The database may be available, or unlocked, in a second. */
const unavailable = (reason: Unavailability) => tryAgain(reasons[reason]);

/** Another server may respond to the next request. */
const outdated = () => tryAgain('The server is too old for the schema of its database.');

const tooMuch = () => createInvalidError('This takes the database too long. Ask for less at once.');

/**
 * Whether a read, or a write to a page of a narrow, took too long by itself. Other writes have a bound in rows, so one
 * that takes a minute was held up by the database.
 */
const canRequestLess = ({ id, params }: OperationCall): boolean =>
  operations[id].method === 'get' || 'num_before' in params;

const tryAgain = (reason: string) =>
  new ApiError('SERVICE_UNAVAILABLE', `${reason} Try again in 1 second.`, { 'retry-after': 1 });

/** Whether the database ended the statement because it ran past `bounds.statement`. */
function timedOut(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { code?: unknown }).code === '57014' || timedOut(error.cause);
}

/** Sends an error response, with the headers of its code. */
export function sendError(res: Response, apiError: ApiError): void {
  const { code } = apiError;
  const call = findCall(res.req);
  const { message, extras } = toErrorContent(apiError, call && { ...call.path, ...call.params });
  const status = apiError instanceof NotFoundError ? 404 : statusOf[code];
  const challenge = getChallenge(res.req, status, apiError);
  if (challenge !== undefined) res.setHeader('WWW-Authenticate', challenge);
  if ('retry-after' in extras) res.setHeader('Retry-After', Math.ceil(extras['retry-after'] as number));
  if (code === 'METHOD_NOT_ALLOWED') {
    res.setHeader('Allow', (extras as { allowed_methods: string[] }).allowed_methods.join(', '));
  }
  res.locals.code = code;
  if ('reason' in extras) res.locals.reason = extras.reason;
  res.status(status).json({ result: 'error', msg: message, code, ...extras });
}
