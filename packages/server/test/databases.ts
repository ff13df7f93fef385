// Which test files run on which database, when there is a PostgreSQL. Without one, all run on the embedded database.

/**
 * Once, on the embedded database: tests of its directory and its thread; every operation with every error code, which has
 * no SQL of its own to test and runs nearly every statement; what counts the rows that are read, which connections of
 * PostgreSQL report late; and what counts plans, which belong to a connection: this database has one.
 */
export const onlyEmbedded = [
  'packages/db/test/processes/*.test.ts',
  'packages/server/test/{contract,page-plans,planned-once,rows-read,weekly-traffic,abuse/embedded-database}.test.ts',
];

/**
 * On both: migrations, transactions, types, concurrency, histories that are new each time, and statements that these
 * leave out. `scripts/test.mjs` lists the statements of the server that ran on PostgreSQL only.
 */
export const onBoth = [
  'packages/db/test/{build-query,clock,commit,define-query,maintenance,migrate,prepared,round-trips,schema,send-together}.test.ts',
  'packages/server/test/{model,catalog,compilation}.test.ts',
  'packages/server/src/{access,workers,secrets}/*.test.ts',
  'packages/server/test/abuse/{limits,event-queues}.test.ts',
  'packages/server/src/http/limits/*.test.ts',
  'packages/server/src/core/log.test.ts',
  'packages/server/src/features/**/{races,repeat,sweep}.test.ts',
  'packages/server/src/features/event-log/known-accounts.test.ts',
  'packages/server/src/features/events/event-stream{,-ends}.test.ts',
  'packages/server/src/features/narrows/{narrow,pages}.test.ts',
  'packages/server/src/features/stream-admin/update.test.ts',
  'packages/server/src/features/applications/{applications,authorize,codes,refresh-tokens}.test.ts',
  'packages/server/src/features/tokens/{tokens,queues}.test.ts',
  'packages/server/src/features/topics/user-topics.test.ts',
];
