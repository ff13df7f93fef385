/** The test files that run on every database, because what they show can differ between databases. */
export const onEveryDatabase = ['packages/db/**/*.test.ts'];
