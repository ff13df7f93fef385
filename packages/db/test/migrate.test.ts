import { randomBytes } from 'node:crypto';
import { connectPostgres, migrate, migrationStatus } from '@parley/db';
import { sql } from 'drizzle-orm';
import { expect, inject, test } from 'vitest';
import { listOwnNames } from './later-migrations.ts';

const where = inject('database');
const url = 'url' in where ? where.url : undefined;

test.runIf(url)('processes that start concurrently on an empty database migrate it once', async () => {
  const name = `parley_migrate_${randomBytes(6).toString('hex')}`;
  const admin = connectPostgres(url ?? '', { connections: 1 });
  await admin.db.execute(sql.raw(`create database ${name}`));
  const there = new URL(url ?? '');
  there.pathname = `/${name}`;
  const starters = Array.from({ length: 6 }, () => connectPostgres(there.toString(), { connections: 1 }));
  try {
    const applied = await Promise.all(starters.map((starter) => migrate(starter)));
    expect(applied.flat().sort()).toEqual(listOwnNames());
    expect(await migrationStatus((starters[0] as (typeof starters)[number]).db)).toEqual(
      listOwnNames().map((name) => ({ name, applied: true })),
    );
  } finally {
    await Promise.all(starters.map((starter) => starter.close()));
    await admin.db.execute(sql.raw(`drop database if exists ${name} with (force)`));
    await admin.close();
  }
});
