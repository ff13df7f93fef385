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

/** A request in a transaction that it shares with others. */
export interface SharedRequest<Id extends OperationId> {
  readonly ctx: CtxOf<Id>;
  readonly params: Params<Id>;
}

export interface PreparedRequests<Id extends OperationId> {
  /** In place of the handler of the operation, one for each request. */
  readonly handlers: readonly (() => Promise<HandlerResponse<Id>>)[];
  /** None of them changes what another depends on, so what they leave to be written can be written after all of them. */
  readonly areIndependent: boolean;
}

/** How the transactions of an operation take turns. */
export interface TransactionSharing<Id extends OperationId> {
  /**
   * The lane of a request, by what its transaction locks until its commit, such as a stream. The transactions of one lane take turns
   * (`transaction-turns.ts`); undefined: the transaction does not wait.
   */
  getLane(params: Params<Id>): string | undefined;
  /** How many characters a request stores. The more they are, the fewer requests share a transaction. */
  countCharacters(params: Params<Id>): number;
  /** Does for requests of one lane together what each would do first. Undefined: each does it itself, after those before it. */
  prepare(requests: readonly SharedRequest<Id>[]): Promise<PreparedRequests<Id> | undefined>;
}

export type SharedTransactions = { readonly [Id in OperationId]?: TransactionSharing<Id> };
