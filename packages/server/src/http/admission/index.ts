// Limits the requests in progress, and schedules those that wait. Every request in progress may hold a connection to the
// database.
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Database } from '@parley/db';
import type { Request } from 'express';
import { computeAdmissionLimits, computeEmbeddedAdmissionLimits, type Lane } from '../../core/admission-limits.ts';
import type { User } from '../../core/context.ts';
import type { OperationId } from '../../core/contract.ts';
import { failInvalid } from '../../core/errors.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import type { FairQueueSlot } from '../../core/fair-queue-slot.ts';
import { toAddress } from '../../core/network.ts';
import type { SharingRequest } from '../../core/shared-transaction.ts';
import { SharedTurns } from '../../core/shared-turns.ts';
import { TransactionTurns } from '../../core/transaction-turns.ts';
import { onResponseEnd } from '../byte-quota.ts';
import { findCall } from '../call.ts';
import { KnownCallers, toKnownCaller } from './callers.ts';

/** The requests in progress, those that wait for their turn, and the transactions that take turns. */
export interface Admission {
  readonly requests: FairQueue;
  readonly polls: FairQueue;
  readonly serial: FairQueue;
  readonly transactions: SharedTurns<SharingRequest, object>;
  readonly callers: KnownCallers;
}

/**
 * The group of requests without credentials, or whose credentials were never valid in this process. Many addresses are
 * many lanes: as one group they take turns with each organization, and do not starve its accounts.
 */
const UNKNOWN = 'unknown';
export const BUSY = 'The server has too many requests in progress.';
const SERIAL_BUSY = 'Too many expensive requests of this account, or of all, are waiting.';

export function createAdmission(
  { connections, kind }: Pick<Database, 'connections' | 'kind'>,
  limits = kind === 'embedded' ? computeEmbeddedAdmissionLimits() : computeAdmissionLimits(connections),
): Admission {
  return {
    requests: new FairQueue({ ...limits.requests, errorMessage: BUSY }),
    polls: new FairQueue({ ...limits.polls, errorMessage: BUSY }),
    serial: new FairQueue({ ...limits.serial, errorMessage: SERIAL_BUSY }),
    transactions: new SharedTurns(new TransactionTurns(limits.transactions)),
    callers: new KnownCallers(),
  };
}

/** The caller of a request, as far as it is known before the credentials are checked. */
interface Sender {
  /** By `toCaller`; undefined for requests without credentials. */
  readonly caller: string | undefined;
  /** The id of the organization; undefined for a host without an organization. */
  readonly subdomain: string | undefined;
}

export function laneOf({ callers }: Admission, req: Request, { caller, subdomain }: Sender): Lane {
  const known = caller === undefined ? undefined : callers.find(caller);
  if (known) return { lane: known.lane, group: subdomain ?? 'none' };
  return addressLane(req);
}

/** Not by the requested host: a client can send as many names as it likes. */
export const addressLane = (req: Request): Lane => ({ lane: `address ${toAddress(req.ip)}`, group: UNKNOWN });

/** The slot of a request; undefined while the request waits for it. */
const slots = new WeakMap<Request, FairQueueSlot | undefined>();

/** Undefined for a request that has none, or waits for it. */
export const findSlot = (req: Request): FairQueueSlot | undefined => slots.get(req);

/** Whether the request got no slot: the queue rejected it. */
export const wasRejected = (req: Request): boolean => slots.has(req) && slots.get(req) === undefined;

/**
 * Waits for the turn of a request. Its lane is its account's once the caller is known, else its address's, in a group
 * with all unknown callers.
 *
 * @returns whether the client is still connected
 * @throws SERVICE_UNAVAILABLE
 */
export async function waitForTurn(admission: Admission, req: Request, sender: Sender): Promise<boolean> {
  const queue = findCall(req)?.id === 'getEvents' ? admission.polls : admission.requests;
  return enterForResponse(queue, req, laneOf(admission, req, sender));
}

async function enterForResponse(queue: FairQueue, req: Request, lane: Lane): Promise<boolean> {
  slots.set(req, undefined);
  const slot = await enterWhileOpen(queue, lane, req.socket);
  slots.set(req, slot);
  if (req.socket.destroyed) slot.release();
  // The work goes on when its client has left: without its slot, clients that leave would have any number of requests in progress.
  else onResponseEnd(req, () => (req.res?.writableFinished ? slot.release() : slot.abandon()));
  return !req.socket.destroyed;
}

/** Ends a request whose client has left while it had no slot: it is not begun again. */
function requireClient(req: Request): void {
  if (req.socket.destroyed) failInvalid('The request broke off.');
}

/**
 * Does what a page, a picture or an address of OAuth needs of the database, in the turn of its address. The response is sent without a
 * slot: its client may read it slowly.
 * @throws SERVICE_UNAVAILABLE
 */
export async function inTurn<T>(admission: Admission, req: Request, work: () => Promise<T>): Promise<T> {
  await enterForResponse(admission.requests, req, addressLane(req));
  requireClient(req);
  try {
    return await work();
  } finally {
    endTurn(req);
  }
}

/**
 * Counts a request with valid credentials for its account. Credentials can be spelled in many ways and come from many
 * addresses, and must not get a share for each.
 *
 * @throws SERVICE_UNAVAILABLE
 */
export async function countAsAccount(
  admission: Admission,
  req: Request,
  { caller, subdomain }: Sender,
  { me, token_id }: { readonly me: User; readonly token_id: number | null },
): Promise<void> {
  const known = toKnownCaller(me, token_id);
  const { lane } = known;
  if (caller !== undefined) admission.callers.remember(caller, known);
  await slots.get(req)?.moveTo({ lane, group: subdomain ?? 'none' });
  requireClient(req);
}

/** Enters the queue, and leaves it when the client closes the connection while it waits. */
async function enterWhileOpen(
  queue: FairQueue,
  lane: Lane,
  socket: Socket,
  onWait?: () => void,
): Promise<FairQueueSlot> {
  let leave = () => {};
  try {
    return await queue.enter(lane, (giveUp) => {
      onWait?.();
      leave = giveUp;
      socket.once('close', leave);
    });
  } finally {
    socket.off('close', leave);
  }
}

/** Ends the request's turn: its response is ready, or it waits for something else than the database. */
export function endTurn(req: Request): void {
  slots.get(req)?.release();
}

/** Milliseconds after which a body counts as slow. */
const SLOW_BODY = 1_000;
const waited = new WeakSet<Request>();

/**
 * Whether the request waited since its credentials were checked, for a slow body or for another request of its account: a client can
 * send a body for minutes.
 */
export const hasWaited = (req: Request): boolean => waited.has(req);

/**
 * Runs something that can be slow and does not use the database, such as reading a body, outside of the request's turn if it is not
 * done at once. A body mostly arrives with its request: if each request gave its turn away until it is read, all that wait would begin
 * one after another, before one of them has done anything.
 */
export async function withoutTurn<T>(req: Request, work: () => Promise<T>): Promise<T> {
  const slot = slots.get(req);
  const started = performance.now();
  const working = work();
  const isDone = await Promise.race([working.then(() => true), setImmediate(false)]);
  if (!isDone) slot?.pause();
  const result = await working;
  if (performance.now() - started > SLOW_BODY) waited.add(req);
  await slot?.resume();
  requireClient(req);
  return result;
}

/**
 * Runs a request of a class with `serial` when no other of its account is in progress. It has no slot while it waits, so its account can
 * send other requests.
 * @throws SERVICE_UNAVAILABLE
 */
export async function runSerially<T>({ serial }: Admission, req: Request, work: () => Promise<T>): Promise<T> {
  const slot = slots.get(req);
  if (!slot) return work();
  const turn = await enterWhileOpen(serial, slot.lane, req.socket, () => {
    slot.pause();
    waited.add(req);
  });
  try {
    await slot.resume();
    requireClient(req);
    return await work();
  } finally {
    turn.release();
  }
}

/** Operations that mostly wait for something else than the database: hashing, image processing. */
export const waitsElsewhere: ReadonlySet<OperationId> = new Set<OperationId>([
  'fetchApiKey',
  'uploadAvatar',
  'uploadCustomEmoji',
  'updateSettings',
  'updateDisplaySettings',
  'updateNotificationSettings',
]);
