import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../', import.meta.url));
const config: { forbidden: { name: string }[] } = require('../.dependency-cruiser.cjs');
const manifest: { scripts: { boundaries: string } } = require('../package.json');
const depcruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const folders = manifest.scripts.boundaries.split(' ').slice(3);

interface Report {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

/** A repository of small files, each named after the rule that it breaks. */
const FILES: Record<string, readonly string[]> = {
  'apps/docs/src/no-cycles.ts': ['./other.ts'],
  'apps/docs/src/other.ts': ['./no-cycles.ts'],
  'apps/docs/src/docs-import-what-they-show.ts': ['../../../packages/server/src/main.ts'],
  'apps/docs/src/nothing-imports-bench-or-examples.ts': ['../../../bench/others-use-index-files.ts'],
  'bench/others-use-index-files.ts': ['../packages/server/src/features/users/queries.ts'],
  'bench/imports-resolve.ts': ['./missing.ts'],
  'deploy/test/index.ts': [],
  'examples/examples-use-the-client-only.mjs': ['postgres', '../packages/client/dist/index.js'],
  'openapi/src/index.ts': [],
  'openapi/src/document/the-document-reader-stands-alone.ts': ['node:fs'],
  'scripts/index.ts': [],
  'packages/client/dist/index.js': [],
  'packages/client/src/index.ts': [],
  'packages/client/src/the-client-stands-alone.ts': ['node:fs'],
  'packages/client/src/node/the-client-needs-node-in-one-place.ts': ['node:net'],
  'packages/server/src/main.ts': [],
  'packages/server/src/app.ts': [],
  'packages/server/src/core/few-see-the-whole-server.ts': ['../app.ts'],
  'packages/server/src/the-server-does-not-call-itself.ts': ['../../client/src/index.ts'],
  'packages/server/src/sources-do-not-import-tests.ts': ['../test/chat.ts'],
  'packages/server/src/sql-lives-in-queries.ts': ['drizzle-orm'],
  'packages/server/src/express-stays-in-http.ts': ['express'],
  'packages/server/src/http/one-folder-validates.ts': ['ajv'],
  'packages/server/src/http/validators-are-compiled-at-build-time.ts': ['./validator/compile/compile.ts'],
  'packages/server/src/http/validator/compile/compile.ts': ['ajv'],
  'packages/server/src/access/access-depends-on-nothing.ts': ['../main.ts'],
  'packages/server/src/core/core-knows-no-feature.ts': ['../features/users/index.ts'],
  'packages/server/src/text/text-is-pure.ts': ['../main.ts'],
  'packages/server/src/features/users/index.ts': [],
  'packages/server/src/features/users/queries.ts': ['drizzle-orm'],
  'packages/server/src/features/users/rules/rules-are-pure.ts': ['../queries.ts'],
  'packages/server/src/features/users/features-import-downwards.ts': ['../streams/index.ts'],
  'packages/server/src/features/streams/index.ts': [],
  'packages/server/src/features/streams/features-use-index-files.ts': ['../users/queries.ts'],
  'packages/server/src/features/weather/every-feature-has-a-layer.ts': ['../users/index.ts'],
  'packages/server/test/chat.ts': [],
  ...Object.fromEntries(
    ['ajv', 'drizzle-orm', 'express', 'postgres'].map((name) => [`node_modules/${name}/index.js`, []]),
  ),
};

function writeRepository(folder: string): void {
  for (const [path, imports] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(
      join(folder, path),
      `${imports.map((name) => `import '${name}';\n`).join('')}export const one = 1;\n`,
    );
  }
  for (const name of ['.dependency-cruiser.cjs', 'tsconfig.base.json']) cpSync(join(root, name), join(folder, name));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ dependencies: { ajv: '1', 'drizzle-orm': '1', express: '1', postgres: '1' } }),
  );
}

test('each rule about imports finds a file that breaks it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-boundaries-'));
  try {
    writeRepository(folder);
    const args = [depcruise, '--config', '.dependency-cruiser.cjs', '-T', 'json', ...folders];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(stdout, stderr).not.toBe('');
    const { summary }: Report = JSON.parse(stdout);
    const broken = summary.violations.filter(({ from, rule }) => from.includes(rule.name)).map(({ rule }) => rule.name);
    expect([...new Set(broken)].sort()).toEqual([...new Set(config.forbidden.map(({ name }) => name))].sort());
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the rules about imports cover every folder with sources', () => {
  const hasSources = (folder: string): boolean =>
    readdirSync(join(root, folder), { withFileTypes: true }).some((entry) =>
      entry.isDirectory()
        ? !['node_modules', 'dist', 'generated'].includes(entry.name) && hasSources(join(folder, entry.name))
        : /\.(ts|mjs|js)$/.test(entry.name),
    );
  const all = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
    .map(({ name }) => name);
  expect(folders.slice().sort()).toEqual(all.filter(hasSources).sort());
});
