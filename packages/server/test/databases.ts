// Which test files run on which database, when there is a PostgreSQL. Without one, all run on the embedded database.

/**
 * Once, on the embedded database: what shows no SQL of its own, but together runs every operation with every error code and
 * every event; and the directory of the embedded database.
 */
export const onlyEmbedded = [
  'packages/server/test/contract.test.ts',
  'packages/server/test/event-examples.test.ts',
  'packages/db/test/data-directory.test.ts',
  'packages/db/test/lock.test.ts',
];

/** On both: migrations, transactions, types, and what happens at once, in histories that are new each time too. */
export const onBoth = [
  'packages/db/test/{migrate,prepared,schema}.test.ts',
  'packages/server/test/{model,foreign-ids,catalog,compilation}.test.ts',
  'packages/server/src/workers/*.test.ts',
  'packages/server/src/http/limits/*.test.ts',
  'packages/server/src/features/**/{races,once,sweep}.test.ts',
  // What the rest of the statements needs.
  'packages/server/src/features/auth/openid.test.ts',
  'packages/server/src/features/messages/{move-large,narrow}.test.ts',
  'packages/server/src/features/streams/update.test.ts',
  'packages/server/src/features/topics/user-topics.test.ts',
  'packages/server/src/features/user-groups/update.test.ts',
];
