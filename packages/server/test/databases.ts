// Which test files run on which database, when there is a PostgreSQL. Without one, all run on the embedded database.

/** Once, on the embedded database: what is about its directory. */
export const onlyEmbedded = ['packages/db/test/{data-directory,lock}.test.ts'];

/**
 * On both: migrations, transactions, types, what happens at once, histories that are new each time, and statements that
 * these leave out. `scripts/test.mjs` says which statements of the server ran on PostgreSQL only.
 */
export const onBoth = [
  'packages/db/test/{migrate,prepared,schema}.test.ts',
  'packages/server/test/{model,event-examples,catalog,compilation}.test.ts',
  'packages/server/src/workers/*.test.ts',
  'packages/server/src/http/limits/*.test.ts',
  'packages/server/src/features/**/{races,once,sweep}.test.ts',
  'packages/server/src/features/drafts/drafts.test.ts',
  'packages/server/src/features/emoji/emoji.test.ts',
  'packages/server/src/features/flags/flags.test.ts',
  'packages/server/src/features/linkifiers/linkifiers.test.ts',
  'packages/server/src/features/messages/{delete,narrow,update}.test.ts',
  'packages/server/src/features/profile-fields/values.test.ts',
  'packages/server/src/features/scheduled-messages/deliver.test.ts',
  'packages/server/src/features/settings/email.test.ts',
  'packages/server/src/features/streams/update.test.ts',
  'packages/server/src/features/topics/user-topics.test.ts',
  'packages/server/src/features/uploads/events.test.ts',
  'packages/server/src/features/user-groups/members.test.ts',
  'packages/server/src/features/users/users.test.ts',
];
