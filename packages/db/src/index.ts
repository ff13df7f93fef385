export * from './connect.ts';
export { snapshotFile } from './data-directory.ts';
export * from './facts.ts';
export * from './lock.ts';
export * from './migrate.ts';
export * as tables from './schema/index.ts';
export * from './seqs.ts';
export * from './sql-state.ts';
export * from './turn.ts';
