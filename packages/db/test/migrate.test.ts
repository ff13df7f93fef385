import { randomBytes } from 'node:crypto';
import { connectPostgres, migrate, migrationStatus } from '@parley/db';
import { sql } from 'drizzle-orm';
import { expect, inject, test } from 'vitest';

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
    expect(applied.flat().sort()).toEqual([
      '0000',
      '0001',
      '0002',
      '0003',
      '0004',
      '0005',
      '0006',
      '0007',
      '0008',
      '0009',
      '0010',
      '0011',
      '0012',
      '0013',
    ]);
    expect(await migrationStatus((starters[0] as (typeof starters)[number]).db)).toEqual([
      { name: '0000', applied: true },
      { name: '0001', applied: true },
      { name: '0002', applied: true },
      { name: '0003', applied: true },
      { name: '0004', applied: true },
      { name: '0005', applied: true },
      { name: '0006', applied: true },
      { name: '0007', applied: true },
      { name: '0008', applied: true },
      { name: '0009', applied: true },
      { name: '0010', applied: true },
      { name: '0011', applied: true },
      { name: '0012', applied: true },
      { name: '0013', applied: true },
    ]);
  } finally {
    await Promise.all(starters.map((starter) => starter.close()));
    await admin.db.execute(sql.raw(`drop database if exists ${name} with (force)`));
    await admin.close();
  }
});
