import { operations } from '@parley/openapi';
import type { Request, RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import { joinFields } from '../core/json-pieces.ts';
import { PartlySerializedResponse } from '../core/preserialized-fields.ts';
import { PreserializedList } from '../core/preserialized-json.ts';
import { findQuotaOwner } from './byte-quota.ts';
import { findCall } from './call.ts';
import { isKnownTag, toEntityTag } from './conditional.ts';
import { sendError } from './error-responses.ts';
import { SLICE_BYTES, sendInSlices } from './sliced-response.ts';
import { holdUnread, unreadError } from './unread-responses.ts';

/** Every response is serialized once, as JSON that must not be cached, with a newline at its end. */
export function envelope(app: Pick<App, 'responseBytes' | 'idleTimeoutMs'>): RequestHandler {
  return (req, res, next) => {
    res.json = (body: unknown) => {
      if (isNotModified(req, res, body)) return sendNotModified(res);
      const pieces = serialize(body);
      const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
      const error = isRead(req, res) ? unreadError(app, findQuotaOwner(req), bytes) : undefined;
      if (error) sendError(res, error);
      else {
        if (bytes > SLICE_BYTES) holdUnread(app, req, { res, bytes });
        send(res, pieces, bytes);
      }
      return res;
    };
    next();
  };
}

/**
 * Whether it is the response of an operation that only reads: after a write, the response is sent even if it is
 * invalid.
 */
const isRead = (req: Request, res: Response): boolean => req.method === 'GET' && res.statusCode === 200;

/** Names the version of a response that clients can request conditionally, and says whether the client has it. */
function isNotModified(req: Request, res: Response, body: unknown): boolean {
  const call = findCall(req);
  if (!call || !operations[call.id].conditional || !isRead(req, res)) return false;
  const tag = toEntityTag(body as object);
  res.setHeader('ETag', tag);
  return isKnownTag(req.headers['if-none-match'], tag);
}

function sendNotModified(res: Response): Response {
  return res.status(304).setHeader('Cache-Control', 'no-store').end();
}

function send(res: Response, pieces: readonly (string | Buffer)[], bytes: number): void {
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Length', bytes);
  if (bytes > SLICE_BYTES) return void sendInSlices(res, pieces);
  // Not corked: in one write with its headers, and mostly accepted by the operating system before `end` returns.
  if (pieces.length === 1) return void res.end(pieces[0]);
  res.cork();
  for (const piece of pieces.slice(0, -1)) res.write(piece);
  res.end(pieces.at(-1));
  res.uncork();
}

/** The JSON of a response, and a newline. Some of its fields can be JSON already. */
function serialize(body: unknown): (string | Buffer)[] {
  if (body instanceof PartlySerializedResponse) return piecesOf(body.own, body.shared);
  return hasWritten(body) ? piecesOf(body, []) : [`${JSON.stringify(body)}\n`];
}

const hasWritten = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && Object.values(body).some((value) => value instanceof PreserializedList);

function piecesOf(own: object, shared: PartlySerializedResponse<object, object>['shared']): (string | Buffer)[] {
  const pieces = joinFields(own, (value) => (value instanceof PreserializedList ? value.pieces : undefined));
  // Without its brace. There is a field before: each response has `result`.
  let end = String(pieces.pop()).slice(0, -1);
  for (const { json } of shared) {
    if (json.length === 0) continue;
    if (typeof json === 'string') end += `,${json}`;
    else {
      pieces.push(`${end},`, json);
      end = '';
    }
  }
  return [...pieces, `${end}}\n`];
}

/** The response to a successful request. */
export function success(payload: object | undefined, ignored: readonly string[]): object {
  if (payload instanceof PartlySerializedResponse)
    return new PartlySerializedResponse(success(payload.own, ignored), payload.shared);
  return {
    result: 'success',
    msg: '',
    ...payload,
    ...(ignored.length > 0 && { ignored_parameters_unsupported: ignored }),
  };
}
