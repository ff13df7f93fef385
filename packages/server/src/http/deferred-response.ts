// Requests with a deferred response. There are thousands of them, so what was needed to authenticate and read them is
// released.
import { operations } from '@parley/openapi';
import type { RequestHandler, Response } from 'express';
import type { App } from '../app.ts';
import type { DeferredResponse, ResponseReceiver } from '../core/deferred-response.ts';
import { getCall, getCallOwner, releaseCall } from './call.ts';
import { envelope, success } from './envelope.ts';
import { createErrorHandler } from './error-responses.ts';

/** Sends a deferred response. `validated` hooks `res.json`, which has no hooks by then. */
export function createDeferredResponder(app: App, validated: RequestHandler) {
  const handleError = createErrorHandler(app.log, app.schema);
  const setEnvelope = envelope(app);
  const finish: Finish = (res, body, failure) => {
    const { req } = res;
    const fail = (error: unknown) => handleError(error, req, res, () => {});
    setEnvelope(req, res, () => {});
    validated(req, res, () => {});
    if (failure !== undefined) return void fail(failure);
    try {
      res.json(body);
    } catch (error) {
      fail(error);
    }
  };
  return (res: Response, ignored: readonly string[], later: DeferredResponse<object>): void => {
    dropRequestState(res);
    later.begin(new DeferredReceiver(app, res, ignored, finish));
  };
}

type Finish = (res: Response, body: object | undefined, failure?: unknown) => void;

class DeferredReceiver implements ResponseReceiver<object> {
  readonly #app: App;
  readonly #res: Response;
  readonly #ignored: readonly string[];
  readonly #finish: Finish;

  constructor(app: App, res: Response, ignored: readonly string[], finish: Finish) {
    this.#app = app;
    this.#res = res;
    this.#ignored = ignored;
    this.#finish = finish;
  }

  respond(payload: object, { isFree = false } = {}): void {
    if (isFree) releaseRequestCount(this.#app, this.#res);
    this.#finish(this.#res, success(payload, this.#ignored));
  }

  fail(error: unknown): void {
    this.#finish(this.#res, undefined, error);
  }
}

/** The request was counted when it arrived. */
function releaseRequestCount(app: App, { req }: Response): void {
  const call = getCall(req);
  const { realm, user } = getCallOwner(call);
  if (realm !== undefined && user !== undefined)
    app.requestLimits.release({ realm_id: realm, id: user }, operations[call.id].limit);
}

/** The middleware chain keeps these alive; the rest is the request itself, which is not used for the response. */
export function dropRequestState(res: Response): void {
  const { req } = res;
  releaseCall(req);
  res.json = failEarlyResponse;
  Object.assign(req, { next: undefined, body: undefined, _parsedUrl: undefined, params: none });
  Object.assign(req, { headers: none, rawHeaders: [], url: '', originalUrl: '', baseUrl: '' });
}

const none = Object.freeze({});

const failEarlyResponse = (): never => {
  throw new Error('The response is deferred.');
};
