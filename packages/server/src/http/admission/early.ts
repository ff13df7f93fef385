// Rejects requests that would get no turn before Express handles them: that would take CPU time from the requests in
// work.
import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { App } from '../../app.ts';
import { anyOf, listBusyErrors } from '../../core/busy-errors.ts';
import type { Logger } from '../../core/log.ts';
import { parseSubdomain } from '../../features/realm/index.ts';
import { allowKnownOrigin } from '../cross-origin.ts';
import { REQUEST_ID } from '../request-id.ts';
import { listSecurityHeaders } from '../security-headers.ts';
import { toCaller } from '../spent-callers.ts';
import { createBatch } from './batch.ts';
import { BUSY, laneOf } from './index.ts';

const API = '/api/v1/';
/** Polls have slots of their own, and acknowledging events makes them cheaper. */
const EVENTS = '/api/v1/events';
/** Milliseconds between two log lines about rejected requests. */
const LOG_EVERY = 1_000;

/** Responses are sent together: to wake the receiver for each of them costs more than all else (docs/adr/0022). */
const TOGETHER = { wait: 30, size: 64 };

/** Responds to a request that would get no turn, within a moment, and returns whether it does. */
export type RejectEarly = (req: Request, res: Response) => boolean;

/** `onRejected` counts them. */
export function rejectEarly(app: App, onRejected: () => void = () => {}): RejectEarly {
  const responses = listBusyErrors(BUSY).map(({ code, message, extras }) => {
    const body = `${JSON.stringify({ result: 'error', msg: message, code, ...extras })}\n`;
    return { body, headers: listHeaders(body, (extras as { 'retry-after': number })['retry-after']) };
  });
  const note = noteIn(app.log);
  const sendTogether = createBatch(TOGETHER);
  const respond = (req: Request, res: Response): void => {
    const { body, headers } = anyOf(responses);
    allowKnownOrigin(app, req, res);
    const all = [...headers, ...listSecurityHeaders(req).flat(), REQUEST_ID, randomUUID()];
    res.writeHead(503, all).end(req.method === 'HEAD' ? undefined : body);
  };
  return (req, res) => {
    if (!app.admission.requests.isFull || !isForQueue(req) || !isClosedTo(app, req)) return false;
    sendTogether(() => respond(req, res));
    onRejected();
    note();
    return true;
  };
}

/** Names and values in turn: Node writes such a list as it is, and copies headers that are set one by one. */
const listHeaders = (body: string, seconds: number) =>
  Object.entries({
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Content-Length': String(Buffer.byteLength(body)),
    'Retry-After': String(seconds),
    Vary: 'Origin',
  }).flat();

function isForQueue({ url, method }: Request): boolean {
  return url.startsWith(API) && !url.startsWith(EVENTS) && method !== 'OPTIONS';
}

function isClosedTo({ admission, serverAddress }: App, req: Request): boolean {
  const caller = req.headers.authorization === undefined ? undefined : toCaller(req, 'account');
  const subdomain = parseSubdomain(req.headers.host, serverAddress.base_domain);
  return admission.requests.isClosedTo(laneOf(admission, req, { caller, subdomain }));
}

/** Logs the number of rejected requests, at most once a second: a line for each would cost more than the response. */
function noteIn(log: Logger): () => void {
  let rejected = 0;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    rejected++;
    const now = performance.now();
    if (now - last < LOG_EVERY) return;
    log.warn({ rejected }, 'requests rejected: the server has too many in progress');
    rejected = 0;
    last = now;
  };
}
