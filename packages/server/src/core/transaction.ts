import { canRetryTransaction, type Database, type Db, sqlState } from '@parley/db';
import type { AccessToken } from './access-token.ts';
import type { Ctx, Realm, User } from './context.ts';
import type { Event, OperationId } from './contract.ts';
import { ApiError } from './errors.ts';
import { type EmittedEvent, insertEvents, runWrites } from './event-log/append-sql.ts';
import type { Audience } from './event-log/audience.ts';
import type { EventDeliveryMetadata } from './event-log/delivery-metadata.ts';
import { holdEvents } from './event-log/held-events.ts';
import type { Server } from './server.ts';

/** What `transact` needs of the running server. */
export interface Engine {
  readonly database: Database;
  readonly clock: () => Date;
  readonly server: Server;
  /** Makes all polls of this organization read the log again. */
  wake(realm_id: number): void;
}

/** The caller. Operations without credentials have no `me`; `GET /server_settings` may have no organization. */
export interface Caller {
  readonly realm: Realm | undefined;
  readonly me: User | undefined;
  readonly client: string;
  /** The token of the request, if it has one. */
  readonly token?: AccessToken | undefined;
  /** Absent for jobs and commands. */
  readonly network?: string;
}

/** The operations that open transactions themselves, must not hold one while they wait, or write nothing. */
export const ownTransactionOperations: ReadonlySet<OperationId> = new Set<OperationId>([
  'getEvents',
  'acknowledgeEvents',
  'fetchApiKey',
  'registerQueue',
  'deleteTopic',
  'uploadAvatar',
  'uploadCustomEmoji',
  'setTyping',
  'updateSettings',
  'updateDisplaySettings',
  'updateNotificationSettings',
]);

/** Operations that read in one repeatable-read snapshot, because they use the snapshot cache. */
export const repeatableReadOperations: ReadonlySet<OperationId> = new Set<OperationId>([
  'getUsers',
  'getStreams',
  'getSubscriptions',
]);

/** Aborts the transaction, which is then retried: what the request read first has changed. */
export function abortAndRetry(reason: string): never {
  throw Object.assign(new Error(reason), { code: '40001' });
}

const RETRIES = 8;
// A referenced row has just been deleted; the retry detects that.
const FOREIGN_KEY_VIOLATION = '23503';
/** Whether the same work can succeed in another transaction. */
export const canRetry = (error: unknown): boolean =>
  canRetryTransaction(error) || sqlState(error) === FOREIGN_KEY_VIOLATION;

/** Runs `work` in one transaction and writes the events it emitted just before the commit. */
export async function transact<T>(
  engine: Engine,
  caller: Caller,
  work: (ctx: Ctx<Server>) => Promise<T>,
  repeatableRead = false,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(engine, caller, work, repeatableRead);
    } catch (error) {
      if (attempt === RETRIES || !canRetry(error)) throw error;
    }
  }
}

async function once<T>(
  engine: Engine,
  caller: Caller,
  work: (ctx: Ctx<Server>) => Promise<T>,
  repeatableRead: boolean,
): Promise<T> {
  const emitted: EmittedEvent[] = [];
  const { db, reads } = engine.database;
  const result = await (repeatableRead ? reads : db).transaction(
    async (tx) => {
      const result = await work(createContext(engine, caller, tx, emitTo(emitted)));
      if (caller.realm && emitted.length > 0) await insertEvents(tx, caller.realm.id, emitted, engine.clock());
      else await runWrites(tx, emitted);
      return result;
    },
    repeatableRead ? { isolationLevel: 'repeatable read' } : undefined,
  );
  if (emitted.length > 0 && caller.realm) engine.wake(caller.realm.id);
  return result;
}

/** Collects events until they are written. */
export const emitTo =
  (emitted: EmittedEvent[]) =>
  (event: Event, audience: Audience, metadata?: EventDeliveryMetadata): void =>
    void emitted.push({ event, audience, metadata });

/**
 * Runs `work` in a savepoint. If it fails with an ApiError, its writes and events are undone, the error is returned,
 * and the transaction goes on.
 */
export async function withSavepoint<C extends Ctx>(
  ctx: C,
  work: (ctx: C) => Promise<unknown>,
): Promise<ApiError | undefined> {
  const { ctx: holding, emitHeld } = holdEvents(ctx);
  try {
    await ctx.db.transaction((db) => work({ ...holding, db }));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  emitHeld();
  return undefined;
}

/** Runs a read, or an operation with `ownTransaction`, without a transaction on this connection. */
export function withoutTransaction<T>(
  engine: Engine,
  caller: Caller,
  work: (ctx: Ctx<Server>) => Promise<T>,
  db: Db = engine.database.db,
): Promise<T> {
  const emit = () => {
    throw new Error('An operation without a transaction cannot emit events.');
  };
  return work(createContext(engine, caller, db, emit));
}

/** The context of one request. */
export function createContext(
  engine: Engine,
  { realm, me, client, token, network = '' }: Caller,
  db: Db,
  emit: Ctx['emit'],
): Ctx<Server> {
  // The compiler gives each handler the context its operation has; here it is one object for all of them.
  return {
    db,
    realm: realm as Realm,
    me: me as User,
    token,
    client,
    network,
    now: engine.clock(),
    server: engine.server,
    emit,
  };
}
