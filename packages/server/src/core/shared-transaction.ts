// Several requests in one transaction (docs/adr/0056).
import { findUnavailability, sqlState } from '@parley/db';
import type { Ctx } from './context.ts';
import { ApiError } from './errors.ts';
import { type EmittedEvent, insertEvents, runWritesFirst } from './event-log/append-sql.ts';
import type { Server } from './server.ts';
import { abortAndRetry, type Caller, canRetry, createContext, type Engine, emitTo, transact } from './transaction.ts';

/** What runs in place of the handler of the operation. */
export type PreparedHandler = () => Promise<object | undefined>;

/** A request whose changes can be committed together with those of others of its organization. */
export interface SharingRequest {
  readonly realm_id: number;
  readonly caller: Caller;
  readonly params: object;
  work(ctx: Ctx<Server>, prepared?: PreparedHandler): Promise<object>;
}

interface Prepared {
  readonly handlers: readonly PreparedHandler[];
  readonly areIndependent: boolean;
}

/** Does what requests of one operation do first, for all of them (`TransactionSharing`). */
export type PrepareRequests = (
  requests: readonly { readonly ctx: Ctx<Server>; readonly params: object }[],
) => Promise<Prepared | undefined>;

type Settled = PromiseSettledResult<object>;

const QUERY_CANCELED = '57014';

/**
 * Runs requests one after another in one transaction: each sees what those before it have written, and all are committed, or none.
 * If one of them fails, none has changed anything, and each runs in a transaction of its own, so it has the result that it would have
 * had alone. If the database is away, or too slow, all of them fail.
 */
export async function transactTogether(
  engine: Engine,
  requests: readonly SharingRequest[],
  prepare: PrepareRequests,
): Promise<Settled[]> {
  if (requests.length > 1) {
    try {
      const responses = await once(engine, requests, prepare);
      return responses.map((value) => ({ status: 'fulfilled', value }));
    } catch (error) {
      if (!isOfOneRequest(error)) return requests.map(() => ({ status: 'rejected', reason: error }));
    }
  }
  const settled: Settled[] = [];
  for (const { caller, work } of requests) {
    const [result] = await Promise.allSettled([transact(engine, caller, (ctx) => work(ctx))]);
    settled.push(result);
  }
  return settled;
}

/** Whether the others can succeed without the request that failed. Otherwise each would wait for the same error. */
const isOfOneRequest = (error: unknown): boolean =>
  error instanceof ApiError ||
  canRetry(error) ||
  (findUnavailability(error) === undefined && sqlState(error) !== QUERY_CANCELED);

async function once(engine: Engine, requests: readonly SharingRequest[], prepare: PrepareRequests): Promise<object[]> {
  const emitted: EmittedEvent[] = [];
  const [first] = requests;
  const responses = await engine.database.db.transaction(async (tx) => {
    const own: EmittedEvent[] = [];
    const inTransaction = requests.map(({ caller, params, work }) => {
      const ctx = createContext(engine, caller, tx, emitTo(own));
      return { ctx, params, work };
    });
    const prepared = await prepare(inTransaction);
    const responses: object[] = [];
    for (const [n, { ctx, work }] of inTransaction.entries()) {
      responses.push(await (prepared ? runPrepared(prepared.handlers[n], (run) => work(ctx, run)) : work(ctx)));
      const isLast = responses.length === requests.length;
      const some = own.splice(0);
      emitted.push(...(isLast || prepared?.areIndependent ? some : await runWritesFirst(tx, some)));
    }
    if (first && emitted.length > 0) await insertEvents(tx, first.realm_id, emitted, engine.clock());
    return responses;
  });
  if (first && emitted.length > 0) engine.wake(first.realm_id);
  return responses;
}

/** A prepared handler that does not run, since its request repeats an earlier one, would leave what was reserved for it. */
async function runPrepared(
  prepared: PreparedHandler | undefined,
  work: (run: PreparedHandler) => Promise<object>,
): Promise<object> {
  let hasRun = false;
  const response = await work(async () => {
    hasRun = true;
    return prepared?.();
  });
  return hasRun ? response : abortAndRetry('The request needs nothing of what was prepared for it.');
}
