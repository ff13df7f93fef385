// Polls that go on from the response that this process sent before: no statement, and nothing to decode (docs/adr/0048).
import { operations } from '@parley/openapi';
import type { Request, RequestHandler } from 'express';
import type { App } from '../app.ts';
import { DeferredResponse } from '../core/deferred-response.ts';
import type { KnownCaller } from './admission/callers.ts';
import { getCall } from './call.ts';
import type { createDeferredResponder } from './deferred-response.ts';
import { countRequest, failSpentCaller } from './rate-limit.ts';
import { toCaller } from './spent-callers.ts';
import { failIfUnread } from './unread-responses.ts';

/** A poll with these two parameters only, spelled so that decoding would change nothing. */
const PLAIN =
  /\?(?:queue_id=(?<id>[\w-]+)&last_event_id=(?<after>\d{1,15})|last_event_id=(?<after2>\d{1,15})&queue_id=(?<id2>[\w-]+))$/;

/** Lets a poll wait at once if it continues the last one of its queue, with the same credentials. Any other request is checked. */
export function continuePolls(app: App, respondLater: ReturnType<typeof createDeferredResponder>): RequestHandler {
  const { limit } = operations.getEvents;
  return async (req, res, next) => {
    const call = getCall(req);
    if (call.id !== 'getEvents' || call.isStream) return next();
    const caller = toCaller(req, limit);
    const known = app.admission.callers.find(caller);
    const wait = known && findContinuation(app, req, known);
    if (!known || !wait) return next();
    const { user } = known;
    call.was = { realm: user.realm_id, user: user.id };
    failSpentCaller(app, res, caller);
    await countRequest(app, res, { user, bucket: limit }, caller);
    failIfUnread(app, user);
    respondLater(res, [], new DeferredResponse<object>(wait));
  };
}

function findContinuation({ polls }: App, { originalUrl }: Request, { credentials }: KnownCaller) {
  const { id, after, after2 = after, id2 = id } = PLAIN.exec(originalUrl)?.groups ?? {};
  return id2 === undefined ? undefined : polls.continuePoll(id2, Number(after2), credentials);
}
