// Makes the database that a new data directory begins with: empty, migrated, packed. Part of the build.
import { chmodSync, createWriteStream, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sql } from 'drizzle-orm';
import { packTar } from 'modern-tar/fs';
import { connectEmbedded, migrate, snapshotFile } from '../dist/index.js';

const snapshot = snapshotFile();
const dist = dirname(snapshot);
for (const file of readdirSync(dist)) if (file.startsWith('snapshot-')) rmSync(join(dist, file));
const folder = mkdtempSync(join(tmpdir(), 'parley-snapshot-'));
try {
  const directory = join(folder, 'database');
  const database = await connectEmbedded({ dataDir: directory });
  await migrate(database);
  // Nobody connects to the templates, and they are two thirds of the files.
  await database.db.execute(sql`update pg_database set datistemplate = false`);
  await database.db.execute(sql`drop database template0`);
  await database.db.execute(sql`drop database template1`);
  await database.db.execute(sql`checkpoint`);
  await database.close();
  const unfinished = join(dist, `${basename(snapshot)}.new`);
  await pipeline(packTar(directory), createGzip({ level: 9 }), createWriteStream(unfinished));
  // Every user of the machine can start Parley, as they can read its code.
  chmodSync(unfinished, 0o644);
  renameSync(unfinished, snapshot);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
