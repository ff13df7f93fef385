import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { onEveryDatabase } from './packages/server/test/databases.ts';

const at = (path: string) => new URL(path, import.meta.url).pathname;

const files = [
  'openapi/**/*.test.ts',
  'packages/**/*.test.ts',
  'apps/docs/test/**/*.test.ts',
  'bench/**/*.test.ts',
  'scripts/**/*.test.ts',
];

const resolve = {
  alias: {
    '@parley/openapi': at('./openapi/src/index.ts'),
    '@parley/db': at('./packages/db/src/index.ts'),
    '@parley/client/node': at('./packages/client/src/node/index.ts'),
    '@parley/client': at('./packages/client/src/index.ts'),
  },
};

/** All tests run on PostgreSQL where there is one; the embedded database then has those in which the two can differ. */
const projects: TestProjectConfiguration[] = process.env.DATABASE_URL
  ? [project('postgres', files), project('embedded', process.env.PARLEY_TEST_LONG ? files : onEveryDatabase)]
  : [project('embedded', files)];

// Tests run from the sources; only those that start the command line use what `npm run build` made.
export default defineConfig({
  resolve,
  test: {
    projects,
    // One process for each core of a small machine. On PostgreSQL a process waits for the database half of its time.
    maxWorkers: process.env.DATABASE_URL ? 3 : 2,
  },
});

function project(database: 'postgres' | 'embedded', include: string[]): TestProjectConfiguration {
  return {
    resolve,
    test: {
      name: database,
      include,
      exclude: ['**/node_modules/**', '**/dist/**'],
      globalSetup: [at(`./packages/server/test/global-setup/${database}.ts`)],
      setupFiles: [at('./packages/server/test/mirror-law.ts')],
      testTimeout: 60_000,
      hookTimeout: 120_000,
      // What has to happen may take its time on a machine with more to do.
      expect: { poll: { timeout: 30_000 } },
      // Files share what is made once for a process: modules, and the checks compiled from the document.
      isolate: false,
      // A database that lives in the process makes so much garbage that collecting it is an eighth of the work otherwise.
      execArgv: ['--max-semi-space-size=64'],
    },
  };
}
