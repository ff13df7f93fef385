import type { operations } from '@parley/openapi';
import type { Ctx, PublicCtx, ServerCtx } from './context.ts';
import type { OperationId, Params, Payload } from './contract.ts';
import type { DeferredResponse } from './deferred-response.ts';
import type { EventStreamResponse } from './event-stream.ts';
import type { PartlySerializedResponse } from './preserialized-fields.ts';
import type { MaybePreserialized } from './preserialized-json.ts';
import type { Server } from './server.ts';

type Facts<Id extends OperationId> = (typeof operations)[Id];

/**
 * `security: []` in the document removes `me` from a handler's context, and `x-realm: optional` makes the organization
 * optional.
 */
export type CtxOf<Id extends OperationId> = Facts<Id>['auth'] extends 'user'
  ? Ctx<Server>
  : Facts<Id>['realm'] extends 'optional'
    ? ServerCtx<Server>
    : PublicCtx<Server>;

type PreserializedPayload<Body extends object> = Body | PartlySerializedResponse<Body, Partial<Body>>;

/** A payload whose long lists, and fields that other responses have as well, can be preserialized JSON. */
export type HandlerResponse<Id extends OperationId> =
  Payload<Id> extends object ? PreserializedPayload<MaybePreserialized<Payload<Id>>> : Payload<Id>;

/** One handler for each operation of the document. */
export type Handlers = {
  [Id in OperationId]: (
    ctx: CtxOf<Id>,
    params: Params<Id>,
  ) => Promise<HandlerResponse<Id> | DeferredResponse<HandlerResponse<Id>>>;
};

type StreamedId = { [Id in OperationId]: Facts<Id>['streams'] extends true ? Id : never }[OperationId];

/** The event streams of operations that document `text/event-stream`. */
export type StreamHandlers = {
  [Id in StreamedId]: (ctx: CtxOf<Id>, params: Params<Id>) => Promise<EventStreamResponse>;
};

/**
 * By operation: the lane of a request, by what its transaction locks until its commit, such as a stream. The transactions of one lane
 * take turns (`transaction-turns.ts`); undefined: the transaction does not wait.
 */
export type TransactionLanes = {
  readonly [Id in OperationId]?: (params: Params<Id>) => string | undefined;
};
