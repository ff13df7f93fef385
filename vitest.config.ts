import { defineConfig } from 'vitest/config';

const at = (path: string) => new URL(path, import.meta.url).pathname;

// Tests run from the sources; only those that start the command line use what `npm run build` made.
export default defineConfig({
  resolve: {
    alias: {
      '@parley/openapi': at('./openapi/src/index.ts'),
      '@parley/db': at('./packages/db/src/index.ts'),
      '@parley/client/node': at('./packages/client/src/node/index.ts'),
      '@parley/client': at('./packages/client/src/index.ts'),
    },
  },
  test: {
    include: ['openapi/**/*.test.ts', 'packages/**/*.test.ts', 'apps/docs/test/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: [at('./packages/server/test/global-setup.ts')],
    setupFiles: [at('./packages/server/test/mirror-law.ts')],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What has to happen may take its time on a machine with more to do.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    // Files share what is made once for a process: modules, and the checks compiled from the document.
    isolate: false,
    // A database that lives in the process makes so much garbage that collecting it is an eighth of the work otherwise.
    execArgv: ['--max-semi-space-size=64'],
  },
});
