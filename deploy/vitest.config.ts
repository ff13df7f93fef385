import { defineConfig } from 'vitest/config';
import root from '../vitest.config.ts';

const at = (path: string) => new URL(path, import.meta.url).pathname;

// These tests need servers of Debian (test/install.sh). Mode "long" runs those that take minutes, and no others.
export default defineConfig(({ mode }) => ({
  resolve: root.resolve ?? {},
  test: {
    root: at('.'),
    include: mode === 'long' ? ['test/*.long.ts'] : ['test/*.test.ts'],
    globalSetup: [at('./test/global-setup.ts')],
    testTimeout: 60_000,
    // It starts two servers, which takes a minute on a busy machine.
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 1,
  },
}));
