// Distinguishes a database from its copies and from its own past: event queues and ids from before a restore must not
// be used afterwards.
import { randomUUID } from 'node:crypto';
import { getTableName, is, sql } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { type Db, rows } from './connect.ts';
import { type DatabaseIdentity, isSameDatabase } from './database-identity.ts';
import * as schema from './schema/index.ts';
import { sqlState } from './sql-state.ts';

// The number of Parley's advisory lock for the epoch.
const LOCK = 7_205_762;
/** The number of ids to skip: more than a database allocates between a backup and its restore. */
const SKIPPED = 10_000_000;
const UNDEFINED_TABLE = '42P01';

export interface Epoch {
  readonly epoch: string;
  readonly identity: DatabaseIdentity;
  readonly raised_at: Date;
  readonly reason: string | null;
}

interface EpochRow extends Omit<Epoch, 'raised_at'> {
  readonly raised_at: string;
  /** Whether the row was written in this database, and not restored from a dump. */
  readonly is_original: boolean;
}

/** Finds the facts of the database with a connection to it. */
type Identify = (db: Db) => Promise<DatabaseIdentity>;

/** The stored epoch of the database, and whether this call raised it. */
export interface EpochCheck {
  readonly epoch: string;
  readonly raised_for: string | undefined;
}

/** Undefined: no server has used the database yet. */
export async function findEpoch(db: Db): Promise<Epoch | undefined> {
  const found = await findRow(db);
  return found && { ...found, raised_at: new Date(found.raised_at) };
}

async function findRow(db: Db): Promise<EpochRow | undefined> {
  const [row] = await rows<EpochRow>(
    db,
    sql`select epoch, identity, raised_at::text, reason, written_by = xmin::text as is_original from database_epoch`,
  );
  return row;
}

/**
 * Begins a new epoch if the database was restored, or failed over to another server, since the row of its epoch was
 * written. Undefined: the database has no tables yet.
 */
export async function checkEpoch(db: Db, identify: Identify): Promise<EpochCheck | undefined> {
  try {
    const identity = await identify(db);
    const found = await findRow(db);
    if (found && isSettled(found, identity)) return { epoch: found.epoch, raised_for: undefined };
    // Found again: after a failover between these two statements, the facts are those of the server before.
    return await withEpochLocked(db, async (tx) => settleEpoch(tx, await identify(tx)));
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return undefined;
    throw error;
  }
}

/** Begins a new epoch. */
export async function raiseEpoch(db: Db, identify: Identify, reason: string): Promise<void> {
  await withEpochLocked(db, async (tx) => {
    await startOver(tx);
    await writeEpoch(tx, { epoch: randomUUID(), identity: await identify(tx), reason });
  });
}

/** It waits for the lock without a timeout and can take long, whatever the timeouts of other statements. */
function withEpochLocked<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local lock_timeout = 0`);
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
    return work(tx);
  });
}

const isSettled = (found: EpochRow, identity: DatabaseIdentity): boolean =>
  reasonToRaise(found, identity) === undefined && Object.keys(identity).every((name) => found.identity[name]);

function reasonToRaise({ identity: before, is_original }: EpochRow, identity: DatabaseIdentity): string | undefined {
  if (!is_original) return 'restored from a dump';
  const changed = Object.keys(identity).filter((name) => !isSameDatabase(before, identity, name));
  return changed.length > 0 ? `another ${changed.join(', another ')}` : undefined;
}

async function settleEpoch(tx: Db, identity: DatabaseIdentity): Promise<EpochCheck> {
  const found = await findRow(tx);
  const reason = found && reasonToRaise(found, identity);
  if (found && isSettled(found, identity)) return { epoch: found.epoch, raised_for: undefined };
  if (reason !== undefined) await startOver(tx);
  const isNew = !found || reason !== undefined;
  const epoch = isNew ? randomUUID() : found.epoch;
  await writeEpoch(tx, {
    epoch,
    identity: { ...found?.identity, ...identity },
    reason: isNew ? (reason ?? null) : found.reason,
  });
  return { epoch, raised_for: reason };
}

async function writeEpoch(tx: Db, { epoch, identity, reason }: Pick<Epoch, 'epoch' | 'identity' | 'reason'>) {
  const values = sql`${epoch}::text, ${JSON.stringify(identity)}::jsonb, pg_current_xact_id()::xid::text, now(), ${reason}::text`;
  await tx.execute(sql`delete from database_epoch`);
  await tx.execute(sql`insert into database_epoch (epoch, identity, written_by, raised_at, reason) values (${values})`);
}

/**
 * Ends all event queues, so that every client starts from the present state of the database. Skips ids that may have
 * been returned by transactions which the database no longer contains.
 */
async function startOver(tx: Db): Promise<void> {
  await tx.execute(sql`delete from event_queues`);
  // Its trigger renews the version of what processes remember of organizations and accounts.
  await tx.execute(sql`update realms set subdomain = subdomain`);
  // Transactions hold a row of it until they commit, and never wait for another one meanwhile.
  await tx.execute(sql`lock table realm_clock in exclusive mode`);
  await tx.execute(sql`update realm_clock set last_event_id = last_event_id + ${SKIPPED}::bigint`);
  await tx.execute(
    sql`select setval(s.oid::regclass, nextval(s.oid::regclass) + ${SKIPPED}::bigint)
        from pg_class s
        join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.refclassid = 'pg_class'::regclass
          and d.deptype in ('a', 'i')
        join pg_class t on t.oid = d.refobjid
        where s.relkind = 'S' and t.relnamespace = (select relnamespace from pg_class where oid = 'realms'::regclass)
          and t.relname = any(${sql.param(tableNames())}::text[])`,
  );
}

const tableNames = (): string[] =>
  Object.values(schema)
    .filter((table) => is(table, PgTable))
    .map((table) => getTableName(table));
