import { canRetryTransaction, commitWithNextStatement, type Database, type Db, rows, sqlState } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import type { AccessToken, Audience, Ctx, EventDeliveryMetadata, Realm, Server, User } from './context.ts';
import type { Event, OperationId } from './contract.ts';
import { ApiError } from './errors.ts';
import { sortEventIds } from './sort-ids.ts';

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

interface Emitted {
  event: Event;
  audience: Audience;
  metadata: EventDeliveryMetadata | undefined;
}

const RETRIES = 8;
// A referenced row has just been deleted; the retry detects that.
const FOREIGN_KEY_VIOLATION = '23503';
const canRetry = (error: unknown): boolean => canRetryTransaction(error) || sqlState(error) === FOREIGN_KEY_VIOLATION;

/** Runs `work` in one transaction and writes the events it emitted just before the commit. */
export async function transact<T>(
  engine: Engine,
  caller: Caller,
  work: (ctx: Ctx) => Promise<T>,
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
  work: (ctx: Ctx) => Promise<T>,
  repeatableRead: boolean,
): Promise<T> {
  const emitted: Emitted[] = [];
  const { db, reads } = engine.database;
  const result = await (repeatableRead ? reads : db).transaction(
    async (tx) => {
      const emit = (event: Event, audience: Audience, metadata?: EventDeliveryMetadata) =>
        void emitted.push({ event, audience, metadata });
      const answer = await work(context(engine, caller, tx, emit));
      if (caller.realm && emitted.length > 0) await insertEvents(tx, caller.realm.id, emitted, engine.clock());
      else await runWrites(tx, listWrites(emitted));
      return answer;
    },
    repeatableRead ? { isolationLevel: 'repeatable read' } : undefined,
  );
  if (emitted.length > 0 && caller.realm) engine.wake(caller.realm.id);
  return result;
}

/**
 * Runs `work` in a savepoint. If it fails with an ApiError, its writes and events are undone, the error is returned,
 * and the transaction goes on.
 */
export async function withSavepoint(ctx: Ctx, work: (ctx: Ctx) => Promise<unknown>): Promise<ApiError | undefined> {
  const told: Parameters<Ctx['emit']>[] = [];
  const emit: Ctx['emit'] = (...one) => void told.push(one);
  try {
    await ctx.db.transaction((db) => work({ ...ctx, db, emit }));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  for (const one of told) ctx.emit(...one);
  return undefined;
}

/** Runs a read, or an operation with `ownTransaction`, without a transaction on this connection. */
export function withoutTransaction<T>(
  engine: Engine,
  caller: Caller,
  work: (ctx: Ctx) => Promise<T>,
  db: Db = engine.database.db,
): Promise<T> {
  const emit = () => {
    throw new Error('An operation without a transaction cannot emit events.');
  };
  return work(context(engine, caller, db, emit));
}

function context(engine: Engine, { realm, me, client, token, network = '' }: Caller, db: Db, emit: Ctx['emit']): Ctx {
  // The compiler gives each handler the context of its operation; at run time it is one object for all of them.
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

/** The lists of an event. */
export interface EventLists {
  readonly message_ids: readonly number[];
  /** Empty if they are not needed. */
  readonly seqs: readonly number[];
}

const literal = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

/**
 * Prewrites the beginnings of the lists of some events of this transaction, before it takes locks that others wait for:
 * long lists are most of an event's cost. Returns the delivery metadata for them. Call it once in a transaction; the
 * rows are invisible to readers until the events have their ids.
 */
export async function prewriteEventLists(
  { db, realm, now }: Pick<Ctx, 'db' | 'realm' | 'now'>,
  { message_ids, seqs }: EventLists,
  events: number,
): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`insert into events (realm_id, id, type, payload, audience, message_ids, seqs, bytes, created_at)
        select ${realm.id}::bigint, -(pg_current_xact_id()::text::bigint * 100 + n), '', '{}', '{}',
          ${literal(message_ids)}::bigint[], ${literal(seqs)}::int[],
          ${literal(message_ids).length + literal(seqs).length}::int, ${now.toISOString()}::timestamptz
        from generate_series(1, ${events}::int) n returning id`,
  );
  return found.map(({ id }) => id);
}

/** An event as a row of the log, without its id. */
function rowOf({ event, audience, metadata }: Emitted) {
  const { message_ids, ...payload } = sortEventIds(event) as Event & Partial<EventLists>;
  const { seqs, ahead, writes: _, ...others } = metadata ?? {};
  const { of, ...facts } = seqs ?? {};
  return {
    type: event.type,
    topic_id: metadata?.topic?.id,
    left_id: seqs?.are_gone ? seqs.conversation_id : undefined,
    ahead,
    message_ids: message_ids && literal(message_ids),
    seqs: of && literal(of),
    payload,
    audience: metadata ? { ...audience, asides: { ...others, ...(seqs && { seqs: facts }) } } : audience,
  };
}

const listWrites = (emitted: readonly Emitted[]): SQL[] => emitted.flatMap(({ metadata }) => metadata?.writes ?? []);

/** The writes as parts of a statement, by name, in their order. */
const nameWrites = (writes: readonly SQL[]): SQL[] =>
  writes.map((write, n) => sql`${sql.raw(`write_${n}`)} as (${write})`);

/** A condition that makes the writes run before the statement takes locks that other transactions wait for. */
const afterWrites = (writes: readonly SQL[]): SQL =>
  sql.join(writes.map((_, n) => sql` and (select count(*) from ${sql.raw(`write_${n}`)}) >= 0`));

/** Runs the writes of a transaction whose events are not stored, because it created the organization. */
async function runWrites(tx: Db, writes: readonly SQL[]): Promise<void> {
  if (writes.length === 0) return;
  commitWithNextStatement(tx);
  await rows(tx, sql`with ${sql.join(nameWrites(writes), sql`, `)} select 1`);
}

/** Completes the prewritten rows with their ids and missing columns. A list that does not grow is not touched. */
const updatePrewritten = (realm_id: number) => sql`, finished as (
  update events w set id = log.id, type = log.type, topic_id = log.topic_id, left_id = log.left_id, payload = log.payload,
    audience = log.audience, bytes = w.bytes + log.bytes, created_at = log.created_at,
    message_ids = case when log.message_ids = '{}' then w.message_ids else w.message_ids || log.message_ids end,
    seqs = case when coalesce(log.seqs, '{}') = '{}' then w.seqs else w.seqs || log.seqs end
  from log where w.realm_id = ${realm_id} and w.id = log.ahead
)`;

/**
 * Allocates the organization's next event ids and inserts the events and their writes. The counter's row stays locked
 * until the commit, so ids become visible in the order of commits; with a sequence, a reader could move past an id that
 * is not visible yet. The statement commits, so the row is locked only while it runs.
 */
async function insertEvents(tx: Db, realm_id: number, emitted: readonly Emitted[], now: Date): Promise<void> {
  const some = emitted.map(rowOf);
  const texts = some.map((row) => JSON.stringify(row));
  const finished = some.some(({ ahead }) => ahead !== undefined) ? updatePrewritten(realm_id) : sql``;
  const writes = listWrites(emitted);
  commitWithNextStatement(tx);
  await rows(
    tx,
    sql`with ${sql.join(nameWrites(writes).map((write) => sql`${write}, `))}clock as (
      update realm_clock set last_event_id = last_event_id + ${some.length}::bigint
      where realm_id = ${realm_id}${afterWrites(writes)} returning last_event_id
    ),
    log as (
      select clock.last_event_id - ${some.length}::bigint + e.n as id, e.event->>'type' as type, (e.event->>'topic_id')::bigint as topic_id,
        (e.event->>'left_id')::bigint as left_id, (e.event->>'ahead')::bigint as ahead, e.event->'payload' as payload,
        e.event->'audience' as audience, (e.event->>'message_ids')::bigint[] as message_ids, (e.event->>'seqs')::int[] as seqs,
        e.bytes, ${now.toISOString()}::timestamptz as created_at
      from clock, rows from (
        jsonb_array_elements(${`[${texts.join(',')}]`}::jsonb), unnest(${sql.param(texts.map((text) => Buffer.byteLength(text)))}::int[])
      ) with ordinality as e(event, bytes, n)
    )${finished}
    insert into events (realm_id, id, type, topic_id, left_id, payload, audience, message_ids, seqs, bytes, created_at)
    select ${realm_id}::bigint, id, type, topic_id, left_id, payload, audience, message_ids, seqs, bytes, created_at from log where ahead is null`,
  );
}
