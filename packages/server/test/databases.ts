/**
 * The test files that run on the embedded database too, when the rest runs on PostgreSQL. Together they run every operation
 * with every error code, the histories of the model, what happens at once, and every statement that the suite runs on
 * PostgreSQL: `scripts/test.mjs` lists a statement that did not run on both.
 */
export const onEveryDatabase = [
  'packages/db/**/*.test.ts',
  'packages/server/test/contract.test.ts',
  'packages/server/test/event-examples.test.ts',
  'packages/server/test/model.test.ts',
  'packages/server/test/foreign-ids.test.ts',
  'packages/server/test/catalog.test.ts',
  'packages/server/test/compilation.test.ts',
  'packages/server/src/workers/*.test.ts',
  'packages/server/src/http/limits/*.test.ts',
  'packages/server/src/features/**/{races,cost,recall,shared,retention,sweep,once}.test.ts',
];
