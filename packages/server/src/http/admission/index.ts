// How many requests are in work at once, and whose turn it is. Every request in work may hold a connection to the database.
import type { Socket } from 'node:net';
import type { Database } from '@parley/db';
import type { Request } from 'express';
import { limitsFor } from '../../core/admission-limits.ts';
import type { OperationId } from '../../core/contract.ts';
import { FairQueue, type Lane, type Slot } from '../../core/fair-queue.ts';
import { toAddress } from '../../core/network.ts';
import { callOf, operationOf } from '../call.ts';
import { KnownCallers } from './callers.ts';

/** The requests in work, and those that wait for their turn. */
export interface Admission {
  readonly requests: FairQueue;
  readonly polls: FairQueue;
  readonly callers: KnownCallers;
}

export function createAdmission({ connections }: Database, limits = limitsFor(connections)): Admission {
  const refusal = 'The server has too many requests in work.';
  return {
    requests: new FairQueue({ ...limits.requests, refusal }),
    polls: new FairQueue({ ...limits.polls, refusal }),
    callers: new KnownCallers(),
  };
}

/**
 * Waits for the turn of a request. Its lane is its account's once the caller is known, else its address's.
 * @param caller as `toCaller` names it; undefined for requests without credentials.
 * @returns whether the client is still there
 * @throws SERVICE_UNAVAILABLE
 */
export async function waitForTurn(admission: Admission, req: Request, caller: string | undefined): Promise<boolean> {
  const call = callOf(req);
  const host = (req.headers.host ?? '').toLowerCase();
  const known = caller === undefined ? undefined : admission.callers.laneOf(caller);
  const queue = call.id === 'getEvents' ? admission.polls : admission.requests;
  const slot = await enterWhileOpen(queue, { lane: known ?? `${toAddress(req.ip)} ${host}`, group: host }, req.socket);
  call.slot = slot;
  if (req.socket.destroyed) slot.release();
  return !req.socket.destroyed;
}

/** What its client does not wait for any more leaves the queue. */
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

/** The request is no longer in work: its response is made, or it waits for something else than the database. */
export function endTurn(req: Request): void {
  operationOf(req)?.slot?.release();
}

/** Runs what takes its time and does not use the database, such as reading a body, without the request's turn. */
export async function withoutTurn<T>(req: Request, work: () => Promise<T>): Promise<T> {
  const { slot } = callOf(req);
  slot?.pause();
  const result = await work();
  await slot?.resume();
  return result;
}

/** Operations that wait for something else than the database for most of their time: hashing, pictures. */
export const waitsElsewhere: ReadonlySet<OperationId> = new Set<OperationId>([
  'fetchApiKey',
  'uploadAvatar',
  'uploadCustomEmoji',
  'updateSettings',
  'updateDisplaySettings',
  'updateNotificationSettings',
]);
