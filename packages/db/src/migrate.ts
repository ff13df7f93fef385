import { sql } from 'drizzle-orm';
import { type Db, rows } from './connect.ts';
import { type MigrationFile, migrationFiles } from './migration-files.ts';

// Any number will do, as long as every Parley process uses the same.
const LOCK = 7_205_759;

export interface Migration {
  name: string;
  applied: boolean;
}

/** Which migrations there are and which of them this database has. */
export async function migrationStatus(db: Db): Promise<Migration[]> {
  const [table] = await rows<{ there: boolean }>(db, sql`select to_regclass('parley_migrations') is not null as there`);
  const done = table?.there ? await rows<{ hash: string }>(db, sql`select hash from parley_migrations`) : [];
  const hashes = new Set(done.map((row) => row.hash));
  return migrationFiles().map(({ name, hash }) => ({ name, applied: hashes.has(hash) }));
}

/** Applies what is missing, each migration in a transaction of its own, and tells which they were. */
export async function migrate(db: Db): Promise<string[]> {
  const applied: string[] = [];
  for (const file of migrationFiles()) if (await apply(db, file)) applied.push(file.name);
  return applied;
}

async function apply(db: Db, file: MigrationFile): Promise<boolean> {
  return db.transaction(async (tx) => {
    // A migration may take as long as it takes, and two processes that start together take turns: the second finds the
    // work done. Even the table of what was done is made under the lock; two at once would both try.
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql`set local lock_timeout = 0`);
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
    await tx.execute(
      sql`create table if not exists parley_migrations (hash text primary key, name text not null, applied_at timestamptz not null default now())`,
    );
    const done = await rows(tx, sql`select 1 from parley_migrations where hash = ${file.hash}`);
    if (done.length > 0) return false;
    for (const statement of file.statements) await tx.execute(sql.raw(statement));
    await tx.execute(sql`insert into parley_migrations (hash, name) values (${file.hash}, ${file.name})`);
    return true;
  });
}
