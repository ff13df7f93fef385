// The steps of a request that validate it and its response against the OpenAPI document.
import type { RequestHandler } from 'express';
import type { OperationId } from '../core/contract.ts';
import { toJsonPieces } from '../core/json-pieces.ts';
import type { ItemSerialization } from '../core/serialized-items.ts';
import { getCall } from './call.ts';
import { findUnvalidated } from './unvalidated.ts';
import { type InvalidResponseError, validateItem, validateRequest, validateResponse } from './validator/index.ts';

/** Called for a response that does not match the document, which is sent afterwards. Absent: the request fails. */
export type OnBadResponse = (problem: InvalidResponseError, operation: OperationId) => void;

/** Validates the decoded parameters, and sets defaults. */
export const validateParams: RequestHandler = (req, _res, next) => {
  const call = getCall(req);
  call.params = validateRequest(call.id, call.params);
  next();
};

interface ResponseValidation {
  readonly onBadResponse?: OnBadResponse | undefined;
}

/** Throws if the body does not match the document, or calls `onBadResponse` if there is one. */
export function checkResponse(app: ResponseValidation, id: OperationId, status: number, body: unknown) {
  const { body: unvalidated, remember } = findUnvalidated(id, body);
  report(app, id, validateResponse(id, status, unvalidated));
  if (status === 200) remember();
}

function report({ onBadResponse }: ResponseValidation, id: OperationId, problem: InvalidResponseError | undefined) {
  if (problem && !onBadResponse) throw problem;
  if (problem) onBadResponse?.(problem, id);
}

export const createItemSerialization = (app: ResponseValidation): ItemSerialization => ({
  serializeItem(id, item) {
    report(app, id, validateItem(id, item));
    return toJsonPieces(item);
  },
  stringifyItem(id, item) {
    report(app, id, validateItem(id, item));
    return JSON.stringify(item);
  },
});

/** Hooks `res.json`: the response is validated before it is sent. */
export function createResponseValidation(app: ResponseValidation) {
  const layer: RequestHandler = (req, res, next) => {
    const send = res.json;
    res.json = (body: unknown) => {
      // An invalid response is replaced by an error response, which is not validated.
      res.json = send;
      checkResponse(app, getCall(req).id, res.statusCode, body);
      return send.call(res, body);
    };
    next();
  };
  return layer;
}
