// Limits the requests in work, and schedules those that wait. Every request in work may hold a connection to the
// database.
import type { Socket } from 'node:net';
import type { Database } from '@parley/db';
import type { Request } from 'express';
import { computeAdmissionLimits, EMBEDDED_CONNECTIONS, type Lane } from '../../core/admission-limits.ts';
import type { User } from '../../core/context.ts';
import type { OperationId } from '../../core/contract.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import { toAddress } from '../../core/network.ts';
import type { Slot } from '../../core/queue-slot.ts';
import { findCall, getCall } from '../call.ts';
import { getAccountLane, KnownCallers } from './callers.ts';

/** The requests in work, and those that wait for their turn. */
export interface Admission {
  readonly requests: FairQueue;
  readonly polls: FairQueue;
  readonly callers: KnownCallers;
}

/**
 * The group of requests without credentials, or whose credentials were never valid in this process. Many addresses are
 * many lanes: as one group they take turns with each organization, and do not starve its accounts.
 */
const UNKNOWN = 'unknown';
export const BUSY = 'The server has too many requests in work.';

export function createAdmission(
  { connections, kind }: Database,
  limits = computeAdmissionLimits(kind === 'embedded' ? EMBEDDED_CONNECTIONS : connections),
): Admission {
  return {
    requests: new FairQueue({ ...limits.requests, errorMessage: BUSY }),
    polls: new FairQueue({ ...limits.polls, errorMessage: BUSY }),
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
  const known = caller === undefined ? undefined : callers.laneOf(caller);
  // Not the Host header: the same host has a spelling for each port.
  const organization = subdomain ?? 'none';
  if (known !== undefined) return { lane: known, group: organization };
  return { lane: `${toAddress(req.ip)} ${organization}`, group: UNKNOWN };
}

/**
 * Waits for the turn of a request. Its lane is its account's once the caller is known, else its address's, in a group
 * with all unknown callers.
 *
 * @returns whether the client is still connected
 * @throws SERVICE_UNAVAILABLE
 */
export async function waitForTurn(admission: Admission, req: Request, sender: Sender): Promise<boolean> {
  const call = getCall(req);
  const queue = call.id === 'getEvents' ? admission.polls : admission.requests;
  const slot = await enterWhileOpen(queue, laneOf(admission, req, sender), req.socket);
  call.slot = slot;
  // Runs however the request ends: a slot that is not released is lost until the process ends.
  req.res?.once('close', () => slot.release());
  if (req.socket.destroyed) slot.release();
  return !req.socket.destroyed;
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
  me: User,
): Promise<void> {
  const lane = getAccountLane(me);
  if (caller !== undefined) admission.callers.remember(caller, lane);
  await getCall(req).slot?.moveTo({ lane, group: subdomain ?? 'none' });
}

/** Enters the queue, and leaves it when the client closes the connection while it waits. */
async function enterWhileOpen(queue: FairQueue, lane: Lane, socket: Socket): Promise<Slot> {
  let leave = () => {};
  try {
    return await queue.enter(lane, (giveUp) => {
      leave = giveUp;
      socket.once('close', leave);
    });
  } finally {
    socket.off('close', leave);
  }
}

/** Ends the request's turn: its response is ready, or it waits for something else than the database. */
export function endTurn(req: Request): void {
  findCall(req)?.slot?.release();
}

/** Runs something slow that does not use the database, such as reading a body, outside of the request's turn. */
export async function withoutTurn<T>(req: Request, work: () => Promise<T>): Promise<T> {
  const { slot } = getCall(req);
  slot?.pause();
  const result = await work();
  await slot?.resume();
  return result;
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
