import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { onBoth, onlyEmbedded } from './packages/server/test/databases.ts';
import { SlowFirst } from './packages/server/test/slow-first.ts';

const at = (path: string) => new URL(path, import.meta.url).pathname;

/** The test files of each workspace; PARLEY_TEST_WORKSPACE names one of them. */
const workspaces: Record<string, string[]> = {
  '.': ['bench/**/*.test.ts', 'scripts/**/*.test.ts'],
  openapi: ['openapi/**/*.test.ts'],
  'packages/db': ['packages/db/**/*.test.ts'],
  'packages/server': ['packages/server/**/*.test.ts'],
  'apps/docs': ['apps/docs/test/**/*.test.ts'],
};
/** The workspaces whose tests use a database. */
const onDatabases = ['packages/db', 'packages/server'];
const workspace = process.env.PARLEY_TEST_WORKSPACE;
const usesDatabase = !workspace || onDatabases.includes(workspace);
const files = workspace ? (workspaces[workspace] ?? []) : Object.values(workspaces).flat();
/** Of these files, those of the workspace. */
const here = (paths: string[]) => paths.filter((path) => !workspace || path.startsWith(`${workspace}/`));

const resolve = {
  alias: {
    '@parley/openapi/document': at('./openapi/src/document/index.ts'),
    '@parley/openapi': at('./openapi/src/index.ts'),
    '@parley/db/sql': at('./packages/db/src/sql.ts'),
    '@parley/db': at('./packages/db/src/index.ts'),
    '@parley/client/compatibility': at('./packages/client/src/compatibility/index.ts'),
    '@parley/client/files': at('./packages/client/src/files/index.ts'),
    '@parley/client/raw': at('./packages/client/src/raw.ts'),
    '@parley/client/stream': at('./packages/client/src/stream.ts'),
    '@parley/client/node': at('./packages/client/src/node/index.ts'),
    '@parley/client': at('./packages/client/src/index.ts'),
  },
};

const long = process.env.PARLEY_TEST_LONG !== undefined;

// What takes minutes because commands, servers and browsers start has commands of its own, `npm run test:processes` and
// `npm run test:faults`.
const apart =
  workspace && !long
    ? ['packages/server/test/{docs,faults,processes}/**', 'packages/db/test/processes/**', 'scripts/processes/**']
    : [];

const onEmbedded = long ? files : here([...onlyEmbedded, ...onBoth]);
const projects: TestProjectConfiguration[] = process.env.DATABASE_URL
  ? [
      project('postgres', files, long ? [] : onlyEmbedded),
      ...(onEmbedded.length > 0 ? [project('embedded', onEmbedded, [])] : []),
    ]
  : [project('embedded', files, [])];

// Tests run from the sources; only those that start the command line use what `npm run build` made.
export default defineConfig({
  resolve,
  test: {
    projects,
    sequence: { sequencer: SlowFirst },
    // One process for each core of a small machine. On PostgreSQL a process waits for the database half of its time.
    maxWorkers: process.env.DATABASE_URL ? 3 : 2,
  },
});

function project(database: 'postgres' | 'embedded', include: string[], exclude: string[]): TestProjectConfiguration {
  return {
    resolve,
    test: {
      name: database,
      include,
      exclude: ['**/node_modules/**', '**/dist/**', ...apart, ...exclude],
      globalSetup: usesDatabase ? [at(`./packages/server/test/global-setup/${database}.ts`)] : [],
      // They load the server.
      setupFiles: usesDatabase
        ? [at('./packages/server/test/mirror-law.ts'), at('./packages/server/test/sql/record-statements.ts')]
        : [],
      testTimeout: 60_000,
      hookTimeout: 120_000,
      // What has to happen may take its time on a machine with more to do.
      expect: { poll: { timeout: 30_000 } },
      // Files share what is made once for a process: modules, and the checks compiled from the document.
      isolate: false,
      // Tests make so much garbage that collecting it is an eighth of the work otherwise.
      execArgv: ['--max-semi-space-size=64'],
    },
  };
}
