// Polls that continue after a response of this process: they take no statement, and nothing is decoded (docs/adr/0048).
import { operations } from '@parley/openapi';
import type { Request, RequestHandler, Response } from 'express';
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
  return (req, res, next) => {
    const { id, isStream } = getCall(req);
    const found = id === 'getEvents' && !isStream ? findContinuation(app, req, limit) : undefined;
    return found ? wait(req, res, found) : next();
  };

  async function wait(req: Request, res: Response, { caller, user, begin }: Continuation): Promise<void> {
    const call = getCall(req);
    call.was = { realm: user.realm_id, user: user.id };
    failSpentCaller(app, res, caller);
    await countRequest(app, res, { user, bucket: limit }, caller);
    failIfUnread(app, user);
    respondLater(res, [], new DeferredResponse<object>(begin));
  }
}

interface Continuation extends Pick<KnownCaller, 'user'> {
  readonly caller: string;
  readonly begin: NonNullable<ReturnType<App['polls']['continuePoll']>>;
}

function findContinuation(
  { admission, polls }: App,
  req: Request,
  limit: 'account' | 'events',
): Continuation | undefined {
  const { id, after, after2 = after, id2 = id } = PLAIN.exec(req.originalUrl)?.groups ?? {};
  if (id2 === undefined) return undefined;
  const caller = toCaller(req, limit);
  const known = admission.callers.find(caller);
  const begin = known && polls.continuePoll(id2, Number(after2), known.credentials);
  return begin && { caller, user: known.user, begin };
}
