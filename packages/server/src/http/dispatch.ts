// Runs the operation: in its transaction, and once for each `Idempotency-Key`.
import { operations } from '@parley/openapi';
import type { Request, RequestHandler } from 'express';
import type { App } from '../app.ts';
import type { Ctx } from '../core/context.ts';
import { DeferredResponse } from '../core/deferred-response.ts';
import { failInvalid } from '../core/errors.ts';
import { EventStreamResponse } from '../core/event-stream.ts';
import type { FairQueueSlot } from '../core/fair-queue-slot.ts';
import {
  type PreparedHandler,
  type PrepareRequests,
  type SharingRequest,
  transactTogether,
} from '../core/shared-transaction.ts';
import {
  type Caller,
  ownTransactionOperations,
  repeatableReadOperations,
  transact,
  withoutTransaction,
} from '../core/transaction.ts';
import {
  type IdempotentRequest,
  isKey,
  listFingerprints,
  runIdempotent,
  runIdempotentOutsideTransaction,
  storeErrorResponse,
} from '../features/idempotency-keys/index.ts';
import { handlers, sharedTransactions, streamHandlers } from '../handlers.ts';
import { endTurn, findSlot, runSerially, waitsElsewhere } from './admission/index.ts';
import { refreshCaller } from './authenticate-request.ts';
import { getCall, getCaller, type OperationCall } from './call.ts';
import type { createDeferredResponder } from './deferred-response.ts';
import { success } from './envelope.ts';
import type { streamEvents } from './event-stream.ts';

export function dispatch(
  app: App,
  later: ReturnType<typeof createDeferredResponder>,
  stream: ReturnType<typeof streamEvents>,
): RequestHandler {
  return async (req, res) => {
    const call = getCall(req);
    if (waitsElsewhere.has(call.id)) endTurn(req);
    const named = nameOf(app, req, call);
    const work = async () => {
      await refreshCaller(app, req);
      const run = { caller: getCaller(req), call, slot: findSlot(req) };
      return named ? carryOutOnce(app, run, named) : carryOut(app, run);
    };
    const { serial } = operations[call.id].budget;
    const response = await (serial ? runSerially(app.admission, req, work) : work());
    endTurn(req);
    if (response instanceof DeferredResponse) later(res, call.ignored, response);
    else if (response instanceof EventStreamResponse) stream(res, response);
    else res.json(response);
  };
}

interface Run {
  readonly caller: Caller;
  readonly call: OperationCall;
  readonly slot: FairQueueSlot | undefined;
}

function carryOut(app: App, run: Run): Promise<object> {
  const { caller, call } = run;
  const work: Work = (ctx, handle) => createResponse(ctx, call, handle);
  if (ownTransactionOperations.has(call.id)) return withoutTransaction(app, caller, work);
  if (isRead(call)) return withoutTransaction(app, caller, work, app.database.reads);
  return transactInTurn(app, run, work);
}

type Work = SharingRequest['work'];

/** Runs a transaction: after those of earlier requests that lock the same row, and together with those that wait for the same turn. */
function transactInTurn(app: App, { caller, call, slot }: Run, work: Work): Promise<object> {
  const { [call.id]: sharing } = sharedTransactions as Record<string, Sharing>;
  const { realm } = caller;
  const lane = sharing?.getLane(call.params);
  if (!realm || !sharing || lane === undefined)
    return transact(app, caller, work, repeatableReadOperations.has(call.id));
  const request = { realm_id: realm.id, caller, params: call.params, work };
  const runAll = (requests: readonly SharingRequest[]) => transactTogether(app, requests, sharing.prepare);
  const characters = sharing.countCharacters(call.params);
  return app.admission.transactions.run(`${realm.id} ${lane}`, request, runAll, { slot, characters });
}

interface Sharing {
  getLane(params: object): string | undefined;
  countCharacters(params: object): number;
  readonly prepare: PrepareRequests;
}

async function carryOutOnce(app: App, run: Run, named: IdempotentRequest): Promise<object> {
  const { caller, call, slot } = run;
  if (ownsTransaction(call)) {
    return withoutTransaction(app, caller, (ctx) =>
      runIdempotentOutsideTransaction(ctx, named, () => createResponse(ctx, call)),
    );
  }
  try {
    return await transactInTurn(app, run, (ctx, handle) =>
      runIdempotent(ctx, named, () => createResponse(ctx, call, handle)),
    );
  } catch (error) {
    await slot?.resume();
    await withoutTransaction(app, caller, (ctx) => storeErrorResponse(ctx, named, error));
    throw error;
  }
}

const isRead = ({ id }: OperationCall): boolean => operations[id].method === 'get' && !repeatableReadOperations.has(id);

const ownsTransaction = (call: OperationCall): boolean => ownTransactionOperations.has(call.id) || isRead(call);

/** `prepared` runs in place of the handler of the operation. */
async function createResponse(
  ctx: Ctx,
  { id, params, ignored, isStream }: OperationCall,
  prepared?: PreparedHandler,
): Promise<object> {
  const table: object = isStream ? streamHandlers : handlers;
  const { [id]: handle } = table as Record<string, (ctx: Ctx, params: object) => Promise<object | undefined>>;
  const payload = await (prepared ? prepared() : handle?.(ctx, params));
  return payload instanceof DeferredResponse || payload instanceof EventStreamResponse
    ? payload
    : success(payload, ignored);
}

/** The `Idempotency-Key` of the request, where the operation accepts one. */
function nameOf(app: App, req: Request, { id, params }: OperationCall): IdempotentRequest | undefined {
  const key = req.get('Idempotency-Key');
  if (key === undefined || !operations[id].takes_key) return undefined;
  if (!isKey(key)) failInvalid('Idempotency-Key: it must be 1 to 255 visible ASCII characters.');
  return {
    key,
    fingerprints: listFingerprints(app.secrets, id, params),
    sent: params,
    limits: app.keyLimits,
  };
}
