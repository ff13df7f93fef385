// Several requests in one transaction (docs/adr/0056).
import { findUnavailability, sqlState } from '@parley/db';
import type { Ctx } from './context.ts';
import { ApiError } from './errors.ts';
import { type EmittedEvent, insertEvents, runWritesFirst } from './event-log/append-sql.ts';
import type { Server } from './server.ts';
import { type Caller, canRetry, createContext, type Engine, emitTo, transact } from './transaction.ts';

/** A request whose changes can be committed together with those of others of its organization. */
export interface SharingRequest {
  readonly realm_id: number;
  readonly caller: Caller;
  readonly work: (ctx: Ctx<Server>) => Promise<object>;
}

type Settled = PromiseSettledResult<object>;

const QUERY_CANCELED = '57014';

/**
 * Runs requests one after another in one transaction: each sees what those before it have written, and all are committed, or none.
 * If one of them fails, none has changed anything, and each runs in a transaction of its own, so it has the result that it would have
 * had alone. If the database is away, or too slow, all of them fail.
 */
export async function transactTogether(engine: Engine, requests: readonly SharingRequest[]): Promise<Settled[]> {
  if (requests.length > 1) {
    try {
      const responses = await once(engine, requests);
      return responses.map((value) => ({ status: 'fulfilled', value }));
    } catch (error) {
      if (!isOfOneRequest(error)) return requests.map(() => ({ status: 'rejected', reason: error }));
    }
  }
  const settled: Settled[] = [];
  for (const { caller, work } of requests) {
    const [result] = await Promise.allSettled([transact(engine, caller, work)]);
    settled.push(result);
  }
  return settled;
}

/** Whether the others can succeed without the request that failed. Otherwise each would wait for the same error. */
const isOfOneRequest = (error: unknown): boolean =>
  error instanceof ApiError ||
  canRetry(error) ||
  (findUnavailability(error) === undefined && sqlState(error) !== QUERY_CANCELED);

async function once(engine: Engine, requests: readonly SharingRequest[]): Promise<object[]> {
  const emitted: EmittedEvent[] = [];
  const [first] = requests;
  const responses = await engine.database.db.transaction(async (tx) => {
    const responses: object[] = [];
    for (const { caller, work } of requests) {
      const own: EmittedEvent[] = [];
      responses.push(await work(createContext(engine, caller, tx, emitTo(own))));
      const isLast = responses.length === requests.length;
      emitted.push(...(isLast ? own : await runWritesFirst(tx, own)));
    }
    if (first && emitted.length > 0) await insertEvents(tx, first.realm_id, emitted, engine.clock());
    return responses;
  });
  if (first && emitted.length > 0) engine.wake(first.realm_id);
  return responses;
}
