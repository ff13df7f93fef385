import type { Request } from 'express';
import type { OperationId } from '../core/contract.ts';
import type { Caller } from '../core/transaction.ts';

/** What becomes known of a request while it is handled. */
export interface OperationCall {
  readonly id: OperationId;
  readonly started: number;
  readonly path: Record<string, string>;
  /** The client requests an event stream. */
  readonly isStream?: boolean;
  caller: Caller | undefined;
  ignored: string[];
  params: Record<string, unknown>;
  /** Ids of the organization and the account, kept after the caller was released. */
  was?: { readonly realm: number | undefined; readonly user: number | undefined };
}

const calls = new WeakMap<Request, OperationCall>();

export function beginCall(req: Request, call: OperationCall): void {
  calls.set(req, call);
}

export function getCall(req: Request): OperationCall {
  const call = calls.get(req);
  if (!call) throw new Error('The request matches no operation.');
  return call;
}

export function getCaller(req: Request): Caller {
  return getCall(req).caller ?? { realm: undefined, me: undefined, client: 'Unspecified' };
}

/** The operation a request was matched to, if it was. */
export function findCall(req: Request): OperationCall | undefined {
  return calls.get(req);
}

/** Releases what only the handler of a request needed. */
export function releaseCall(req: Request): void {
  const call = getCall(req);
  call.was = getCallOwner(call);
  call.caller = undefined;
  call.params = {};
}

/** Ids of the organization and the account of the caller, as far as they are known. */
export const getCallOwner = ({ caller, was }: OperationCall) =>
  was ?? { realm: caller?.realm?.id, user: caller?.me?.id };
